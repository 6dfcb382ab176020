"""What is no name never reaches a server: no request of a wider meaning goes out.

Every call of every generated client is made, found by its signature, in both flavours; what is
sent is counted where it would leave.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import kubeapi
import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Pod

from clientgen.runtime import aio, sync
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._cache.listers import Lister
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._controllers.event_aggregation import Reference
from clientgen.runtime._controllers.reconcile_loop import Request, requests_of
from clientgen.runtime._http.patches import MergePatch
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime.conditions import ready
from clientgen.testing import FakeCluster
from tests.support.names import NO_NAMES

CONFIG = ClusterConfig("http://nowhere")
# A namespace or a name that an object may leave to the server is no mistake of the caller.
NO_NAMESPACES = [bad for bad in NO_NAMES if bad is not None]


class Counting:
    """Takes the place of the network, and counts."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, request: Any, timeout: Any) -> Any:
        self.sent.append(request)
        raise AssertionError(f"{request} was sent")

    def stream(self, request: Any, timeout: Any, read_timeout: Any) -> Any:
        return self.send(request, timeout)

    def close(self) -> None: ...


class AsyncCounting(Counting):
    async def send(self, request: Any, timeout: Any) -> Any:
        return super().send(request, timeout)

    async def stream(self, request: Any, timeout: Any, read_timeout: Any) -> Any:
        return super().send(request, timeout)

    async def aclose(self) -> None: ...


def rests() -> Iterator[tuple[Any, Counting]]:
    yield sync.Rest(CONFIG, transport=(one := Counting())), one
    yield aio.AsyncRest(CONFIG, transport=(other := AsyncCounting())), other


def clients() -> list[tuple[str, type]]:
    """The class of every client of the generated package, of both flavours."""
    by_accessor: dict[str, type] = {}
    for module in pkgutil.walk_packages(kubeapi.__path__, "kubeapi."):
        if module.name.endswith(("clients", "async_clients")):
            classes = vars(importlib.import_module(module.name)).values()
            for each in classes:
                if isinstance(each, type) and issubclass(
                    each, (sync.ResourceClient, aio.AsyncResourceClient)
                ):
                    by_accessor[f"{each.__module__}.{each.__name__}"] = each
    return [item for item in by_accessor.items() if item[1].__module__.startswith("kubeapi.")]


def calls(client: type) -> Iterator[tuple[str, list[str]]]:
    """Its methods, and their parameters that are needed."""
    for name, method in inspect.getmembers(client, inspect.isfunction):
        if not name.startswith("_"):
            parameters = [*inspect.signature(method).parameters.values()][1:]
            kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
            keyword = inspect.Parameter.KEYWORD_ONLY
            needed = [p for p in parameters if p.kind is not keyword or p.default is p.empty]
            yield name, [each.name for each in needed if each.kind not in kinds]


def perform(made: Any) -> None:
    """Carry a call out, whatever it gave: a coroutine, lines to go through, an answer."""
    if inspect.iscoroutine(made):
        made.send(None)


# What the other parameters are given.
GOOD: dict[str, Any] = {
    "patch": MergePatch({}),
    "change": lambda obj: None,
    "command": ["true"],
    "port": 80,
    "source": __file__,
    "target": "/tmp/never",
}


def argument(parameter: str, bad: Any, *, named: bool) -> Any:
    if parameter == "name":
        return bad
    if parameter == "body":
        name, more = ("other", {"namespace": "shop"}) if named else (bad, {})
        return {"metadata": {"name": name, **more}}
    assert parameter in GOOD, f"a test is to know what {parameter} is"
    return GOOD[parameter]


def refused(client: Any, name: str, parameters: list[str], bad: Any) -> str:
    """Call a method with what is no name; gives the words of the refusal."""
    keywords = {each: ready for each in parameters if each == "until"}
    parameters = [each for each in parameters if each not in keywords]
    arguments = [argument(each, bad, named="name" in parameters) for each in parameters]
    with pytest.raises(ValueError, match="name") as caught:
        perform(getattr(client, name)(*arguments, **keywords))
    return str(caught.value)


# What makes an object: its name may be the server's to choose, and the path has none.
MAKERS = {"create"}


@pytest.mark.parametrize("flavour", [0, 1], ids=["threads", "asyncio"])
def test_every_client_call_refuses_invalid_names(flavour: int) -> None:
    rest, transport = [*rests()][flavour]
    base = aio.AsyncResourceClient if flavour else sync.ResourceClient
    tried = 0
    for _, kind in clients():
        if not issubclass(kind, base) or kind.__name__.endswith("Collection"):
            continue
        where = ("shop",) if kind.resource.namespaced else ()
        client = kind(rest, *where)
        accessor = kind._accessor or kind.resource.plural
        call_text = f'{accessor}("shop")' if where else f"{accessor}()"
        for name, parameters in calls(kind):
            if not {"name", "body"} & {*parameters} or (
                name in MAKERS and "name" not in parameters
            ):
                continue
            for bad in NO_NAMES:
                words = refused(client, name, parameters, bad)
                assert words.startswith(f"{call_text}.{name}(): "), words
                assert "name" in words
                tried += 1
    assert transport.sent == []
    assert tried > 300 * len(NO_NAMES)


def test_the_words_are_those_of_the_call() -> None:
    k = Clientset(next(rests())[0])
    none = "must be a non-empty string, not None"
    for call, words in [
        (lambda: k.core_v1.pods("shop").delete(None), f'pods("shop").delete(): name {none}'),
        (lambda: k.core_v1.nodes().delete(None), f"nodes().delete(): name {none}"),
        (lambda: k.core_v1.pods("shop").evict(None), f'pods("shop").evict(): name {none}'),
        (lambda: k.core_v1.pods("shop").status(None), f'pods("shop").status(): name {none}'),
        (
            lambda: k.core_v1.config_maps("shop").apply(ConfigMap()),
            "config_maps(\"shop\").apply(): metadata.name must be a non-empty string, not ''",
        ),
        (
            lambda: k.core_v1.pods(None),
            f"pods(): namespace {none}; pods() means all namespaces",
        ),
        (lambda: k.core_v1.bindings(None), f"bindings(): namespace {none}"),
    ]:
        with pytest.raises(ValueError, match=re.escape(words)) as caught:
            call()
        assert str(caught.value) == words


def test_a_namespace_in_capitals_is_refused() -> None:
    """No server has one, and lists of it are empty: the mistake would look like no pods."""
    with FakeCluster().clientset(Clientset) as k:
        lower = "namespace cannot be 'Shop': names of namespaces are lower case$"
        for call in (
            lambda: k.core_v1.pods("Shop"),
            lambda: k.list(Pod, namespace="Shop"),
            lambda: k.get(Pod, "web", namespace="Shop"),
            lambda: k.create(Pod(metadata=ObjectMeta(name="web", namespace="Shop"))),
            lambda: k.dynamic.resource("pods").list(namespace="Shop"),
            lambda: k.informers(namespace="Shop").core_v1.pods().lister,
        ):
            with pytest.raises(ValueError, match=lower):
                call()
        for name in ("shop", "0", "a-1", "x" * 63):
            assert k.core_v1.pods(name).list().items == []


@pytest.mark.parametrize("kind", [Clientset, AsyncClientset])
@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_an_invalid_namespace_does_not_mean_all_namespaces(kind: Any, bad: Any) -> None:
    for rest, transport in rests():
        if isinstance(rest, aio.AsyncRest) != (kind is AsyncClientset):
            continue
        k = kind(rest)
        tried = 0
        for version in k.informers().group_versions.values():
            group = getattr(k, version)
            for name, parameters in calls(type(group)):
                if parameters == ["namespace"]:
                    with pytest.raises(ValueError, match=rf"^{name}\(\): namespace "):
                        getattr(group, name)(bad)
                    tried += 1
        assert tried > 30
        assert transport.sent == []


def test_without_a_namespace_all_are_meant() -> None:
    k = Clientset(next(rests())[0])
    assert type(k.core_v1.pods()).__name__ == "PodCollection"
    with pytest.raises(AssertionError, match=r"GET /api/v1/pods\) was sent"):
        k.core_v1.pods().list()


def test_a_client_made_by_hand_changes_nothing_in_all_namespaces() -> None:
    rest, transport = next(rests())
    from kubeapi.core.v1.clients import PodClient

    client = PodClient(rest)
    for call in (
        client.delete_collection,
        lambda: client.create(Pod()),
        lambda: client.delete("web"),
    ):
        with pytest.raises(ValueError, match=r"pods\(\)\.\w+\(\): the call needs a namespace"):
            call()
    assert transport.sent == []


def test_an_empty_limit_of_a_delete_is_refused() -> None:
    rest, transport = next(rests())
    pods = Clientset(rest).core_v1.pods("shop")
    for selector in ("label_selector", "field_selector"):
        for empty in ("", None, "  ", "\t", ",", " ,,"):
            with pytest.raises(ValueError, match=f"{selector} must not be .*: leave it out"):
                pods.delete_collection(**{selector: empty})
    for limit in ("uid", "resource_version"):
        with pytest.raises(ValueError, match=f"{limit} must not be ''"):
            pods.delete("web", **{limit: ""})
    assert transport.sent == []


@pytest.mark.parametrize("bad", NO_NAMESPACES, ids=repr)
def test_informers_are_of_namespaces_that_can_be(bad: Any) -> None:
    for kind, (rest, _) in zip((Clientset, AsyncClientset), rests(), strict=True):
        k = kind(rest)
        for given in (bad, [bad], ["shop", bad]):
            if given in (["web"], ("web",), {"name": "web"}):
                continue  # these name one
            with pytest.raises(ValueError, match="namespace "):
                k.informers(namespace=given).core_v1.pods()
            with pytest.raises(ValueError, match="namespace "):
                k.informers().core_v1.pods(namespace=given)


@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_leases_have_names(bad: Any) -> None:
    rest, other = (rest for rest, _ in rests())
    for client, elector, sharding in (
        (rest, sync.LeaderElector, sync.Sharding),
        (other, aio.AsyncLeaderElector, aio.AsyncSharding),
    ):
        for kind in (elector, sharding):
            with pytest.raises(ValueError, match="name"):
                kind(client, bad, "default")
            if bad is not None:
                with pytest.raises(ValueError, match="namespace "):
                    kind(client, "lock", bad)


@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_caches_do_not_look_up_what_is_no_name(bad: Any) -> None:
    from kubeapi.core.v1.resources import NODES, PODS

    indexer: Indexer[Pod] = Indexer()
    for name in ("None", "0", "1", "False", "web"):
        indexer.upsert(Pod(metadata=ObjectMeta(name=name, namespace="shop")))
        indexer.upsert(Pod(metadata=ObjectMeta(name=name)))
    pods, nodes = Lister(indexer, PODS), Lister(indexer, NODES)
    for look in (
        lambda: pods.get("shop", bad),
        lambda: pods.get(bad, "web"),
        lambda: pods.in_namespace(bad),
        lambda: pods.in_namespace("shop").get(bad),
        lambda: nodes.get(bad),
    ):
        with pytest.raises(ValueError, match="name"):
            look()


@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_mappers_and_recorders_name_objects(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"the mapper .* returned"):
        [*requests_of(lambda _: [Request("shop", bad)], None)]
    if bad != "":
        with pytest.raises(ValueError, match=r"the mapper .* returned"):
            [*requests_of(lambda _: [Request(bad, "web")], None)]
    assert [*requests_of(lambda _: [Request("", "node"), Request("shop", "web")], None)]
    if not isinstance(bad, str) or not bad:
        with pytest.raises(ValueError, match="the object of an event needs"):
            Reference.to({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": bad}})


@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_the_test_cluster_takes_names_only(bad: Any) -> None:
    cluster = FakeCluster()
    pod = {"apiVersion": "v1", "kind": "Pod"}
    tries: list[Callable[[], Any]] = [
        lambda: cluster.add({**pod, "metadata": {"name": bad}}),
        lambda: cluster.react("get", "pods", 404, name=bad),
        lambda: cluster.react("get", "pods", 404, namespace=bad),
        lambda: cluster.fail("get", "pods", 404, name=bad),
        lambda: cluster.fail("get", "pods", 404, namespace=bad),
    ]
    if bad not in (None, ""):
        tries.append(lambda: cluster.add({**pod, "metadata": {"name": "web", "namespace": bad}}))
    if isinstance(bad, bytes) or bad is object or bad == "half\udc80":
        del tries[0], tries[-1]  # these are no JSON
    for call in tries:
        with pytest.raises(ValueError, match="name"):
            call()

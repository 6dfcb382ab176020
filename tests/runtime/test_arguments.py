"""What a call is given by mistake: told in its own words, and nothing is sent."""

# Every call here is one that type checkers refuse.
# mypy: ignore-errors
# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from kubeapi import AsyncClientset, AsyncInformerFactory
from kubeapi.core.v1 import Pod

from clientgen.runtime import ApplyPatch, JsonPatch, MergePatch, StrategicMergePatch
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.runtime.aio import AsyncController, AsyncSharedInformer
from clientgen.testing import LocalServer

PATCHES = (
    "patch() takes a dict (a merge patch), MergePatch, StrategicMergePatch, JsonPatch or"
    " ApplyPatch, not"
)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_is_sent(server: LocalServer) -> Iterator[None]:
    server.cluster.clear_actions()
    yield
    assert server.cluster.actions == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.patch("web", []), f"{PATCHES} a list: write JsonPatch([...]), for example"),
        (lambda p: p.patch("web", None), f"{PATCHES} None: write MergePatch({{...}}), for example"),
        (lambda p: p.status("web").patch(5), f"{PATCHES} an int"),
        (lambda p: p.patch("web", "{}"), "(they are in clientgen.runtime)"),
        (lambda p: p.create("x"), "create() takes an object (a model or a mapping), not a str"),
        (lambda p: p.create(Pod), "not the class Pod: make an object, Pod(...)"),
        (lambda p: p.update(None), "update() takes an object (a model or a mapping), not None"),
        (lambda p: p.update_status(""), "update_status() takes an object (a model or a mapping)"),
        (lambda p: p.apply_status(7), "apply_status() takes an object (a model or a mapping)"),
        (lambda p: p.status("web").update([]), "update() takes an object (a model or a mapping)"),
        (lambda p: p.apply([]), "apply() takes an object (a model or a mapping), not a list"),
        (lambda p: p.status("web").apply("x"), "apply() takes an object (a model or a mapping)"),
        (lambda p: p.edit("web", {}), "change of edit() must be a function, not a dict"),
        (lambda p: p.get("web", timeout="5"), "timeout is a number of seconds, not a str"),
        (lambda p: p.list(label_selector=5), 'a mapping, "app=web" or {"app": "web"}, not an int'),
    ],
)
async def test_calls_say_what_they_take(server: LocalServer, call, message: str) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(TypeError) as raised:
            await call(k.core_v1.pods("default"))
    assert message in str(raised.value)


async def test_dir_lists_what_programs_use(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        for client in (k, k.core_v1, k.core_v1.pods(), k.core_v1.pods("shop")):
            names = dir(client)
            assert [name for name in names if name.startswith("_") and name[1] != "_"] == []
        assert {"pods", "services"} <= set(dir(k.core_v1))
        assert {"get", "list", "exec", "resource"} <= set(dir(k.core_v1.pods("shop")))


async def test_hints_are_similar_names_only(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(AttributeError, match=r"'deployments'$"):
            k.core_v1.deployments  # noqa: B018
        with pytest.raises(AttributeError, match="did you mean 'pods'"):
            k.core_v1.pod  # noqa: B018


async def test_calls_that_need_a_namespace_name_it(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(AttributeError) as raised:
            k.core_v1.pods().get("web")
        assert str(raised.value) == (
            "pods() of all namespaces has only each, list, tail, view, wait and watch:"
            ' get needs a namespace, write pods("NAMESPACE").get(...)'
        )
        with pytest.raises(AttributeError, match=r"config_maps\("):
            k.core_v1.config_maps().patch("web")
        with pytest.raises(AttributeError, match=r"PodClient'.*'pathc'; did you mean 'patch'"):
            k.core_v1.pods("default").pathc("web")
        with pytest.raises(AttributeError, match=r"NodeClient' object has no attribute 'zz'$"):
            k.core_v1.nodes().zz("web")
        assert not hasattr(k.core_v1.pods(), "get")


async def test_handlers_are_functions(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.informers().core_v1.pods()
        for name in ("on_add", "on_update", "on_delete", "on_delete_unknown", "filter"):
            with pytest.raises(
                TypeError, match=rf"{name} of add_handler\(\) must be a function, not a"
            ):
                pods.add_handler(**{name: {}})
        with pytest.raises(TypeError, match="reconcile must be a function, not a str"):
            AsyncController("web", "reconcile")


async def test_a_factory_takes_a_clientset_too(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert AsyncInformerFactory(k).rest is AsyncInformerFactory(k.rest).rest


async def test_informers_refuse_what_selects_nothing(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.informers(label_selector={"app": "web"}).core_v1
        assert pods.pods() is pods.pods(label_selector="app=web")
        assert pods.pods(label_selector={}) is pods.pods(label_selector=None)
        with pytest.raises(ValueError, match="'a b' is not a valid value for the label 'app'"):
            pods.pods(label_selector={"app": "a b"})
        with pytest.raises(TypeError, match="field_selector must be a string or a mapping"):
            pods.pods(field_selector=5)
        informer = pods.pods()
        args = (k.rest, informer.resource, Pod, Pod)
        with pytest.raises(TypeError, match="label_selector must be a string or a mapping"):
            AsyncSharedInformer(*args, label_selector=["app=web"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MergePatch([]), "MergePatch takes an object (a model or a mapping), not a list"),
        (lambda: StrategicMergePatch("x"), "StrategicMergePatch takes an object"),
        (lambda: ApplyPatch(None), "ApplyPatch takes an object (a model or a mapping), not None"),
        (lambda: JsonPatch({"op": "test"}), "JsonPatch takes operations such as"),
        (lambda: JsonPatch("x"), "not a str"),
        (lambda: JsonPatch(5), "not an int"),
        (lambda: JsonPatch([1]), "not a list"),
        (lambda: Scheme().load(io.StringIO("a: 1")), "StringIO: pass the result of its read()"),
        (lambda: Scheme().load(None), "load() takes a string, bytes or a Path, not None"),
        (lambda: Scheme().load({}), "load() takes a string, bytes or a Path, not a dict"),
    ],
)
def test_constructors_name_wrong_arguments(make, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        make()
    assert message in str(raised.value)


def test_a_path_that_is_a_text_is_told() -> None:
    with pytest.raises(ValueError, match=r"not an object; to read a file or a folder, pass a Path"):
        Scheme().load("web.yaml")

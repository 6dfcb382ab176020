"""Both versions of a Proxy, converted as the API server has it done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import kubeapi
import proxies_client
import pytest
import yaml
from proxies import v1, v1beta1
from proxies.conversions import TLS, to_v1, to_v1beta1
from proxies.operator import SERVICE, add_conversions, migrate

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.errors import Conflict, InternalError, Invalid, NotFound
from clientgen.runtime.models import ObjectMeta, to_dict
from clientgen.testing import FakeCluster, explore

HERE = Path(__file__).parent
CRDS = HERE / "crds"
ACCOUNT = "proxies/proxies"
"""The ServiceAccount of `migrate`: see deploy/role.yaml."""
P = ParamSpec("P")


def run(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test that is a coroutine function."""

    @wraps(test)
    def function(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return function


def old(host_port: str = "db:5432", **annotations: str) -> v1beta1.Proxy:
    metadata = ObjectMeta(name="a", namespace="default", uid="1", annotations=annotations)
    return v1beta1.Proxy(metadata=metadata, spec=v1beta1.ProxySpec(host_port=host_port))


def new(*, tls: bool = False) -> v1.Proxy:
    metadata = ObjectMeta(name="a", namespace="default", uid="1")
    return v1.Proxy(metadata=metadata, spec=v1.ProxySpec(host="db", port=5432, tls=tls))


@pytest.mark.parametrize("tls", [False, True])
def test_nothing_is_lost_on_the_way_there_and_back(tls: bool) -> None:
    before = to_v1beta1(new(tls=tls))
    assert before == (old(**{TLS: "true"}) if tls else old())
    assert to_v1(before) == new(tls=tls)
    assert to_v1beta1(to_v1(before)) == before
    assert to_v1beta1(to_v1(old(note="mine"))) == old(note="mine")


@run
async def test_the_webhook_converts_what_the_server_sends() -> None:
    webhooks = add_conversions(AsyncWebhooks())
    objects = [to_dict(old()), to_dict(old("web:80", **{TLS: "true"}))]
    answer = await converted(webhooks, "proxy.example.com/v1", *objects)
    assert answer["result"]["status"] == "Success"
    specs = [each["spec"] for each in answer["convertedObjects"]]
    assert specs == [
        {"host": "db", "port": 5432},
        {"host": "web", "port": 80, "tls": True},
    ]
    again = await converted(webhooks, "proxy.example.com/v1beta1", *answer["convertedObjects"])
    assert [each["spec"] for each in again["convertedObjects"]] == [
        {"hostPort": "db:5432"},
        {"hostPort": "web:80"},
    ]


@run
async def test_an_object_that_cannot_be_converted_is_refused() -> None:
    answer = await converted(
        add_conversions(AsyncWebhooks()), "proxy.example.com/v1", to_dict(old("db"))
    )
    assert answer["result"]["status"] == "Failure"
    assert "spec.hostPort 'db' has no port" in answer["result"]["message"]


async def converted(webhooks: AsyncWebhooks, version: str, *objects: Any) -> Any:
    request = {"uid": "1", "desiredAPIVersion": version, "objects": objects}
    kinds = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
    body = json.dumps({**kinds, "request": request}).encode()
    status, answer = await webhooks.answer("/convert", body)
    response = json.loads(answer)["response"]
    assert (status, response["uid"]) == (200, "1")
    return response


def test_the_definition_says_who_converts() -> None:
    webhooks = add_conversions(AsyncWebhooks(scheme=scheme()))
    [patch] = webhooks.crd_conversions(service=SERVICE)
    assert yaml.safe_load((HERE / "deploy" / "conversion.yaml").read_text()) == patch


def scheme() -> Any:
    k = FakeCluster().clientset(proxies_client.AsyncClientset)
    return k.scheme


@run
async def test_all_objects_are_written_anew() -> None:
    cluster = FakeCluster(crds=[CRDS])
    k = cluster.clientset(kubeapi.AsyncClientset, service_account=ACCOUNT)
    for name in ("a", "b"):
        proxy = new()
        proxy.metadata = ObjectMeta(name=name, namespace="default")
        cluster.add(proxy)
    count = await migrate(k)
    assert count == len(cluster.writes)
    assert [str(each) for each in cluster.writes] == [
        "update proxies.proxy.example.com default/a",
        "update proxies.proxy.example.com default/b",
    ]


# ---- a server that calls the webhook ----------------------------------------------------------


def definition() -> dict[str, Any]:
    """The definition as it is after the patch that names the webhook."""
    crd: dict[str, Any] = yaml.safe_load((CRDS / "proxy.example.com_proxies.yaml").read_text())
    patch = yaml.safe_load((HERE / "deploy" / "conversion.yaml").read_text())
    crd["spec"]["conversion"] = patch["spec"]["conversion"]
    return crd


class Webhook:
    """The webhook of the operator; it notes from and to which version it converts how many."""

    def __init__(self) -> None:
        self._webhooks = add_conversions(AsyncWebhooks())
        self.reviews: list[str] = []

    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        request = json.loads(body)["request"]
        source, target = (
            each.rpartition("/")[2]
            for each in (request["objects"][0]["apiVersion"], request["desiredAPIVersion"])
        )
        self.reviews.append(f"{len(request['objects'])} {source} to {target}")
        return await self._webhooks.answer(path, body)


def proxy(name: str, host_port: str = "db:5432", *, tls: bool = False) -> v1beta1.Proxy:
    """A Proxy as a user of the old version writes it."""
    made = old(host_port, **({TLS: "true"} if tls else {}))
    made.metadata.name, made.metadata.uid = name, ""
    return made


def cluster_with(webhook: Webhook) -> tuple[FakeCluster, kubeapi.AsyncClientset]:
    """A cluster that calls the webhook, and a user of it who may do everything."""
    cluster = FakeCluster(crds=[definition()])
    cluster.service(SERVICE, webhook)
    k = cluster.clientset(kubeapi.AsyncClientset)
    proxies_client.add_to_scheme(k.scheme)
    return cluster, k


@run
async def test_each_version_shows_what_is_written_in_the_other() -> None:
    webhook = Webhook()
    _, k = cluster_with(webhook)
    await k.create(proxy("a", tls=True))
    assert (await k.get(v1.Proxy, "a")).spec == v1.ProxySpec(host="db", port=5432, tls=True)

    await k.patch(v1.Proxy, "a", {"spec": {"port": 5433}})
    shown = await k.get(v1beta1.Proxy, "a")
    assert (shown.spec.host_port, shown.metadata.annotations) == ("db:5433", {TLS: "true"})

    await k.patch(v1beta1.Proxy, "a", {"spec": {"hostPort": "web:80"}})
    [listed] = (await k.list(v1.Proxy)).items
    assert listed.spec == v1.ProxySpec(host="web", port=80, tls=True)
    [listed_before] = (await k.list(v1beta1.Proxy)).items
    assert listed_before.spec.host_port == "web:80"
    assert set(webhook.reviews) == {"1 v1beta1 to v1", "1 v1 to v1beta1"}


@run
async def test_watches_of_the_old_version_see_changes_of_the_new_one() -> None:
    _, k = cluster_with(Webhook())
    start = (await k.list(v1beta1.Proxy)).metadata.resource_version
    await k.create(to_v1(proxy("a")))
    await k.patch(v1.Proxy, "a", {"spec": {"tls": True}})
    await k.delete(v1.Proxy, "a")
    seen: list[tuple[str, str, str]] = []
    async with k.watch(v1beta1.Proxy, resource_version=start) as watch:
        async for event in watch:
            tls = event.object.metadata.annotations.get(TLS, "")
            seen.append((event.type, event.object.spec.host_port, tls))
            if event.type == "DELETED":
                break
    assert seen == [
        ("ADDED", "db:5432", ""),
        ("MODIFIED", "db:5432", "true"),
        ("DELETED", "db:5432", "true"),
    ]


@run
async def test_what_cannot_be_converted_can_be_mended_in_its_own_version() -> None:
    cluster, k = cluster_with(Webhook())
    cluster.add(proxy("a", "db"))  # stored before the definition had a pattern
    with pytest.raises(InternalError, match=r"Proxy default/a: spec\.hostPort 'db' has no port"):
        await k.list(v1.Proxy)
    await k.patch(v1beta1.Proxy, "a", {"spec": {"hostPort": "db:80"}})
    assert (await k.get(v1.Proxy, "a")).spec == v1.ProxySpec(host="db", port=80)


async def migrated(cluster: FakeCluster) -> int:
    """Run `migrate` with the rights that it has."""
    async with cluster.clientset(kubeapi.AsyncClientset, service_account=ACCOUNT) as k:
        return await migrate(k)


@run
async def test_what_was_stored_in_the_old_version_is_stored_in_the_new_one() -> None:
    webhook = Webhook()
    cluster, k = cluster_with(webhook)
    cluster.add(proxy("a"), proxy("b", tls=True))
    await migrated(cluster)
    assert webhook.reviews == ["2 v1beta1 to v1"]
    await k.list(v1.Proxy)
    assert webhook.reviews == ["2 v1beta1 to v1"]
    assert [each.spec.host_port for each in await k.list(v1beta1.Proxy)] == 2 * ["db:5432"]
    assert webhook.reviews[1:] == ["2 v1 to v1beta1"]


@pytest.mark.parametrize("error", [Conflict, NotFound])
@run
async def test_an_object_that_somebody_else_has_just_written_or_deleted_is_left_out(
    error: type[Exception],
) -> None:
    cluster, _ = cluster_with(Webhook())
    cluster.add(*(to_v1(proxy(name)) for name in "abc"))
    refused = cluster.react("update", "proxies", error, name="a")
    count = await migrated(cluster)
    assert refused.hits == 1
    assert [each.name for each in cluster.writes] == ["a", "b", "c"]
    assert count == len(cluster.writes)


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    def setup(cluster: FakeCluster) -> None:
        cluster.service(SERVICE, Webhook())
        cluster.add(proxy("a"), proxy("b", tls=True), proxy("c"))

    async def program(k: kubeapi.AsyncClientset) -> None:
        await migrate(k)
        await asyncio.Event().wait()  # it has nothing else to do

    async def scenario(k: kubeapi.AsyncClientset) -> None:
        proxies_client.add_to_scheme(k.scheme)
        await k.patch(v1beta1.Proxy, "a", {"spec": {"hostPort": "db:5433"}})
        await k.patch(v1.Proxy, "b", {"spec": {"host": "web"}})
        await k.delete(v1.Proxy, "c")
        await k.create(proxy("d"))

    explore(
        program,
        scenario,
        clientset=kubeapi.AsyncClientset,
        setup=setup,
        crds=[definition()],
        budget=2.0,
    )


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (v1.ProxySpec(host="", port=80), "spec.host"),
        (v1.ProxySpec(host="db:1", port=80), "spec.host"),
        (v1.ProxySpec(host="db", port=0), "spec.port"),
    ],
)
def test_the_server_refuses_what_the_types_do_not_allow(spec: v1.ProxySpec, field: str) -> None:
    k = FakeCluster(crds=[CRDS]).clientset(proxies_client.Clientset)
    with pytest.raises(Invalid, match=field):
        k.proxy_v1.proxies("default").create(v1.Proxy(metadata=ObjectMeta(name="a"), spec=spec))

"""Fleets of kubeconfigs, also in Secrets, over real sockets; `..._secrets_threads`: for threads."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
import yaml
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime.aio import AsyncContext, AsyncFleet, AsyncManager
from clientgen.runtime.errors import ConfigError
from clientgen.testing import FakeClock, FakeCluster, LocalServer

pytestmark = pytest.mark.usefixtures("no_task_is_left")

LABEL = "fleet=yes"


def new_server(name: str, **options: Any) -> LocalServer:
    data = ConfigMap(metadata=ObjectMeta(name="a", namespace="shop"), data={"value": name})
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), data)
    return LocalServer(cluster, **options)


def secret(name: str, content: bytes, key: str = "kubeconfig", **labels: str) -> Secret:
    metadata = ObjectMeta(name=name, namespace="fleet", labels=labels or {"fleet": "yes"})
    return Secret(metadata=metadata, data={key: content})


def kubeconfig(server: LocalServer) -> bytes:
    return Path(server.kubeconfig).read_bytes()


class AsyncHub:
    """A manager whose fleet is in the Secrets of a hub."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="fleet")), clock=self.clock)
        self.k = self.cluster.clientset(AsyncClientset)
        self.seen: set[tuple[str, str]] = set()

    async def note(self, context: AsyncContext[ConfigMap]) -> None:
        if context.object is not None:
            live = await context.clientset.get(ConfigMap, "a", namespace="shop")
            assert live.data == context.object.data
            self.seen.add((context.cluster, live.data["value"]))

    def fleet_in(self, namespace: str | None) -> AsyncFleet[AsyncClientset]:
        return AsyncFleet.from_secrets(self.k, label_selector=LABEL, namespace=namespace)

    def start(self, fleet: AsyncFleet[AsyncClientset]) -> Self:
        self.fleet = fleet
        self.manager = AsyncManager(fleet, home=self.k, name="fleet", namespaces="shop")
        self.manager.controller("maps", self.note).for_(ConfigMap)
        return self

    async def __aenter__(self) -> None:
        self.task = spawn(self.manager.run, "manager")

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        await self.until(lambda: self.task.done)
        await self.k.aclose()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something is true. Time passes only if it does not become true by itself."""
        for _ in range(1000):
            for _ in range(25):
                if holds():
                    return
                await sleep(0.002)
            self.clock.step(2.0)
        raise AssertionError("timed out")

    async def let_time_pass(self) -> None:
        """Move the clock in a task of its own.

        A step waits for a thread that reads a socket, if the thread waited by the clock before.
        """
        self.clock.step(60.0)

    def events(self) -> list[tuple[str, str, str]]:
        k = self.cluster.clientset(Clientset)
        return [(e.reason, e.regarding.name, e.note) for e in k.events_v1.events().list().items]


async def test_clusters_join_and_leave_with_their_secrets() -> None:
    hub = AsyncHub()
    with new_server("east", tls=True, token="t-1") as east, new_server("west", tls=True) as west:
        await hub.k.create(secret("eu", kubeconfig(east)))
        async with hub.start(hub.fleet_in("fleet")):
            await hub.until(lambda: hub.seen == {("eu", "east")})
            first = hub.fleet.clientset("eu")

            await hub.k.create(secret("us", kubeconfig(west)))
            await hub.until(lambda: hub.seen == {("eu", "east"), ("us", "west")})

            # Another server behind the name: the cluster leaves and joins again.
            hub.seen.clear()
            await hub.k.update(secret("eu", kubeconfig(west)))
            await hub.until(lambda: ("eu", "west") in hub.seen)
            assert hub.fleet.clientset("eu") is not first

            await hub.k.delete(Secret, "us", namespace="fleet")
            await hub.until(lambda: hub.fleet.names == ["eu"])


async def test_a_new_token_changes_nothing_else() -> None:
    hub = AsyncHub()
    with new_server("east", tls=True, token="t-2") as east:
        right = kubeconfig(east)
        await hub.k.create(secret("eu", right.replace(b"t-2", b"t-1")))
        async with hub.start(hub.fleet_in("fleet")):
            await hub.until(lambda: "ClusterUnreachable" in [each[0] for each in hub.events()])
            before = hub.fleet.clientset("eu")
            assert not hub.seen
            await hub.k.update(secret("eu", right))
            stepping = spawn(hub.let_time_pass, "time passes")
            await hub.until(lambda: hub.seen == {("eu", "east")})
            assert hub.fleet.clientset("eu") is before
            assert {name for _, name, _ in hub.events()} == {"eu"}  # they are about the Secret
    assert await stepping.join(10)


def hostile(right: bytes) -> dict[str, bytes]:
    """Kubeconfigs that must not be used, by the reason in the message."""
    document = yaml.safe_load(right)
    user = document["users"][0]["user"]
    cluster = document["clusters"][0]["cluster"]
    cases: dict[str, bytes] = {}

    def case(reason: str, place: dict[str, Any], **fields: Any) -> None:
        before = dict(place)
        place.update(fields)
        cases[reason] = json.dumps(document).encode()
        place.clear()
        place.update(before)

    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/evil"}
    user.pop("token", None)
    case("evil", user, exec={**plugin, "interactiveMode": "Never"})
    user["token"] = "s3cret"
    case("tokenFile", user, tokenFile="/etc/passwd")
    cluster.pop("certificate-authority-data", None)
    case("names files", cluster, **{"certificate-authority": "/etc/passwd"})
    case("certificate-authority", cluster, **{"certificate-authority": "ca.crt"})
    case("server", cluster, server="file:///etc/passwd")
    case("nobody", document, **{"current-context": "nobody"})
    return {**cases, "kubeconfig": b"\x00\xff", "no key": b""}


async def test_hostile_kubeconfigs_are_refused_and_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    hub = AsyncHub()
    with new_server("east", tls=True) as east:
        cases = hostile(kubeconfig(east))
        for number, content in enumerate(cases.values()):
            key = "kubeconfig" if content else "other"
            await hub.k.create(secret(f"bad-{number}", content or b"x", key=key))
        await hub.k.create(secret("eu", kubeconfig(east)))
        async with hub.start(hub.fleet_in(None)):
            await hub.until(lambda: hub.seen == {("fleet/eu", "east")})
            await hub.until(lambda: len(hub.events()) == len(cases))
            notes = {
                name: note for reason, name, note in hub.events() if reason == "ClusterRefused"
            }
            for number, reason in enumerate(cases):
                assert f"cluster fleet/bad-{number} cannot join: " in notes[f"bad-{number}"]
                assert reason in notes[f"bad-{number}"], notes[f"bad-{number}"]
            assert "s3cret" not in caplog.text + str(notes)
            assert hub.fleet.names == ["fleet/eu"]

            # A Secret that gets worse changes nothing.
            await hub.k.update(secret("eu", b"}"))
            await hub.until(lambda: "eu" in [name for _, name, _ in hub.events()])
            assert hub.fleet.names == ["fleet/eu"]


async def test_the_clusters_of_cluster_api() -> None:
    hub = AsyncHub()
    label = "cluster.x-k8s.io/cluster-name"
    with new_server("east") as east:
        content = kubeconfig(east)
        await hub.k.create(secret("prod-kubeconfig", content, "value", **{label: "prod"}))
        await hub.k.create(secret("prod-ca", b"certificate", "tls.crt", **{label: "prod"}))
        await hub.k.create(secret("other-kubeconfig", content, "value", **{label: "prod"}))
        async with hub.start(AsyncFleet.from_cluster_api(hub.k, namespace="fleet")):
            await hub.until(lambda: hub.seen == {("prod", "east")})
            assert hub.fleet.names == ["prod"]
            assert "ClusterRefused" not in [reason for reason, _, _ in hub.events()]


async def test_contexts_of_a_kubeconfig() -> None:
    hub = AsyncHub()
    with new_server("east") as east:
        document = yaml.safe_load(kubeconfig(east))
        (context,) = document["contexts"]
        document["contexts"] = [{**context, "name": name} for name in ("eu", "us")]
        make = AsyncFleet.from_kubeconfig
        with pytest.raises(ConfigError, match="nobody"):
            make(AsyncClientset, ["eu", "nobody"], document)
        with pytest.raises(TypeError, match="list of names"):
            make(AsyncClientset, "eu", document)
        async with hub.start(make(AsyncClientset, ["eu", "us"], document, timeout=5.0)):
            await hub.until(lambda: hub.seen == {("eu", "east"), ("us", "east")})
    with pytest.raises(ValueError, match="label selector"):
        AsyncFleet.from_secrets(hub.k, label_selector="")

"""Webhooks with certificates of the program's own, over sockets; and in threads, derived."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from datetime import timedelta
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.admissionregistration.v1 import ValidatingWebhookConfiguration
from kubeapi.core.v1 import ConfigMap, Secret
from kubeapi.meta.v1 import ObjectMeta
from support.reviews import OldThing, Thing

from clientgen.runtime._async._primitives import Task, run_blocking, sleep, spawn
from clientgen.runtime.aio import AsyncManager, AsyncWebhooks
from clientgen.runtime.errors import ConfigError, Forbidden
from clientgen.runtime.models import Unstructured
from clientgen.runtime.webhooks import AdmissionRequest, Denied, SelfSigned
from clientgen.testing import FakeClock, FakeCluster

ANYWHERE = "127.0.0.1:0"
CERTIFICATES = SelfSigned(secret="certs", services=["hooks"])


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


def check(request: AdmissionRequest[ConfigMap]) -> None:
    if request.object.data.get("size") == "large":
        raise Denied("too large")


class AsyncReplica:
    """A program with webhooks, as one of several replicas."""

    def __init__(
        self, cluster: FakeCluster, certificates: Any = CERTIFICATES, install: bool = True
    ) -> None:
        self.k = cluster.clientset(AsyncClientset, service_account="shop/operator")
        self.manager = AsyncManager(self.k)
        self.webhooks = self.manager.webhooks(ANYWHERE, certificates=certificates)
        self.webhooks.validate(ConfigMap, check)
        if install:
            self.webhooks.install("shop")
        self.error: BaseException | None = None
        self.task: Task

    async def run(self) -> None:
        try:
            await self.manager.run()
        except BaseException as error:
            self.error = error

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        await self.over()
        await self.k.aclose()

    async def over(self) -> None:
        assert await self.task.join(60), "it does not stop"

    async def ready(self) -> None:
        await until(lambda: self.webhooks.ready() or self.task.done)
        assert self.error is None, self.error

    @property
    def address(self) -> str:
        return self.webhooks.url.removeprefix("https://")

    async def certificate(self) -> str:
        """The number of the certificate that clients get now."""
        host, port = self.address.split(":")

        def shown() -> str:
            return ssl.get_server_certificate((host, int(port)))

        return await run_blocking(shown)


class World:
    """What an administrator sees."""

    def __init__(self, **options: Any) -> None:
        self.cluster = FakeCluster(**options)
        self.k = self.cluster.clientset(Clientset)

    @property
    def secret(self) -> dict[str, bytes]:
        found = self.k.core_v1.secrets("shop").get("certs", default=None)
        return {} if found is None else dict(found.data or {})

    @property
    def bundles(self) -> list[bytes]:
        hooks = self.k.admissionregistration_v1.validating_webhook_configurations()
        return [each.client_config.ca_bundle or b"" for each in hooks.get("shop").webhooks or []]

    def create(self, name: str, size: str = "small") -> ConfigMap:
        made = ConfigMap(metadata=ObjectMeta(name=name), data={"size": size})
        return self.k.core_v1.config_maps("default").create(made)

    async def creates(self, replica: AsyncReplica, name: str) -> None:
        """The API server asks this replica, over TLS, and trusts it."""
        self.cluster.service("shop/hooks", replica.address)
        await run_blocking(lambda: self.create(name))
        with pytest.raises(Forbidden, match="denied the request: too large"):
            await run_blocking(lambda: self.create(f"{name}-large", "large"))


async def test_replicas_make_one_authority_and_all_are_trusted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    world = World()
    async with AsyncReplica(world.cluster) as one, AsyncReplica(world.cluster) as two:
        await one.ready()
        await two.ready()
        secret = world.secret
        assert set(secret) == {"ca.crt", "ca.key", "tls.crt", "tls.key"}
        assert await one.certificate() == await two.certificate() == secret["tls.crt"].decode()
        await world.creates(one, "a")
        await world.creates(two, "b")
    key = secret["tls.key"].decode().splitlines()[1]
    assert key not in caplog.text
    assert "PRIVATE KEY" not in caplog.text
    assert caplog.text.count("made the certificates in the Secret shop/certs") == 1

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
from kubeapi.admissionregistration.v1 import (
    ValidatingWebhook,
    ValidatingWebhookConfiguration,
    WebhookClientConfig,
)
from kubeapi.core.v1 import ConfigMap, Secret
from kubeapi.meta.v1 import LabelSelector, ObjectMeta
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


async def step_until(clock: FakeClock, holds: Callable[[], object]) -> None:
    """Move a clock until something becomes true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await clock.step(10)
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
    assert caplog.text.count("made certificates in the Secret shop/certs") == 1


async def test_what_somebody_breaks_is_mended_and_no_request_is_lost() -> None:
    world = World()
    hooks = world.k.admissionregistration_v1.validating_webhook_configurations()
    async with AsyncReplica(world.cluster) as one:
        await one.ready()
        await world.creates(one, "a")
        first = world.secret
        assert world.bundles == [first["ca.crt"]]

        def spoil(obj: ValidatingWebhookConfiguration) -> None:
            obj.webhooks[0].client_config.ca_bundle = b"-----BEGIN CERTIFICATE-----"
            foreign = ValidatingWebhook(
                name="theirs.example.com",
                admission_review_versions=["v1"],
                side_effects="None",
                client_config=WebhookClientConfig(url="https://example.com/theirs"),
                object_selector=LabelSelector(match_labels={"theirs": "yes"}),
            )
            obj.webhooks = [*(obj.webhooks or []), foreign]

        await run_blocking(lambda: hooks.edit("shop", spoil))
        await until(lambda: world.bundles == [first["ca.crt"], b""])
        await world.creates(one, "b")

        # A new authority joins the old one, whose certificate stays in use.
        await run_blocking(lambda: world.k.core_v1.secrets("shop").delete("certs"))
        await until(lambda: world.secret.get("ca.crt", b"").count(b"BEGIN") == 2)
        await until(lambda: world.bundles == [world.secret["ca.crt"], b""])
        assert world.secret["ca.crt"].endswith(first["ca.crt"])
        assert world.secret["tls.crt"] == first["tls.crt"]
        assert world.secret["ca.key"] != first["ca.key"]
        await world.creates(one, "c")
        # The next release installs again, and leaves what others have added.
        async with AsyncReplica(world.cluster) as two:
            await two.ready()
            await world.creates(two, "d")
            assert len(world.bundles) == 2


async def test_an_authority_is_replaced_while_it_runs() -> None:
    hour = timedelta(hours=1)
    clock = FakeClock()
    world = World(clock=clock)
    certificates = SelfSigned(
        secret="certs", services=["hooks"], lifetime=hour, ca_lifetime=2 * hour, overlap=hour / 4
    )
    async with AsyncReplica(world.cluster, certificates) as one:
        await one.ready()
        first, shown = world.secret, await one.certificate()
        await clock.step(60 * 60 * 0.6)
        assert world.secret == first
        await step_until(clock, lambda: world.secret["tls.crt"] != first["tls.crt"])
        assert world.secret["ca.crt"] == first["ca.crt"]
        await until(one.webhooks.ready)
        assert await one.certificate() != shown

        # Now the authority is due: a new one joins it, then signs, then is alone.
        await step_until(clock, lambda: world.bundles[0].count(b"BEGIN") == 2)
        joined, second = world.secret["ca.crt"], world.secret["tls.crt"]
        assert joined.endswith(first["ca.crt"])
        await step_until(clock, lambda: world.secret["tls.crt"] != second)
        assert world.secret["ca.crt"] == joined
        await step_until(clock, lambda: world.bundles[0].count(b"BEGIN") == 1)
        assert world.bundles[0] not in first["ca.crt"]
        assert one.webhooks.ready()


async def test_the_secret_of_another_program_ends_the_run() -> None:
    world = World()
    theirs: Any = {"tls.crt": b"x", "tls.key": b"x"}
    made = Secret(metadata=ObjectMeta(name="certs", namespace="shop"), data=theirs)
    world.cluster.add(made)
    async with AsyncReplica(world.cluster) as one:
        await one.over()
    assert isinstance(one.error, ConfigError)
    assert "the Secret shop/certs belongs to another program" in str(one.error)
    assert world.secret == theirs


async def test_it_is_not_ready_before_it_could_write(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    may_write: list[bool] = []
    path = "validatingwebhookconfigurations"
    world.cluster.react("patch", path, lambda _: None if may_write else 403)
    async with AsyncReplica(world.cluster) as one:
        await until(lambda: "trying again" in caplog.text)
        with pytest.raises(RuntimeError, match="403"):
            one.webhooks._check_ready()
        may_write.append(True)
        await one.ready()
        await world.creates(one, "a")


def to_new(old: OldThing) -> Thing:
    return Thing(metadata=old.metadata, spec=old.spec)


def to_old(new: Thing) -> OldThing:
    return OldThing(metadata=new.metadata, spec=new.spec)


def definition() -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"served": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [
                {"name": "v1", "storage": True, **version},
                {"name": "v1beta1", "storage": False, **version},
            ],
        },
    }


@pytest.mark.parametrize("installs_definition", [True, False])
async def test_definitions_get_their_conversion(installs_definition: bool) -> None:
    world = World()
    if not installs_definition:
        world.cluster.add(definition())
    one = AsyncReplica(world.cluster, install=False)
    one.k.scheme.register(Thing, plural="things")
    one.webhooks.convert(OldThing, Thing, to_new).convert(Thing, OldThing, to_old)
    one.webhooks.install("shop", crds=[definition()] if installs_definition else [])
    async with one:
        await one.ready()
        world.cluster.service("shop/hooks", one.address)
        world.k.scheme.register(OldThing, plural="things")
        meta = ObjectMeta(name="a", namespace="default")
        made = await run_blocking(lambda: world.k.create(OldThing(metadata=meta)))
        assert made.api_version == "stable.example.com/v1beta1"


async def test_certificates_need_a_manager() -> None:
    with pytest.raises(
        RuntimeError, match=r"need a manager: create the webhooks with manager\.web"
    ):
        await AsyncWebhooks(ANYWHERE, certificates=CERTIFICATES).start()
    with pytest.raises(ValueError, match="client_ca needs TLS"):
        AsyncWebhooks(ANYWHERE, client_ca="ca.crt")
    with pytest.raises(ValueError, match="crds has a Pod"):
        AsyncWebhooks().install("a", crds=[Unstructured(apiVersion="v1", kind="Pod")])

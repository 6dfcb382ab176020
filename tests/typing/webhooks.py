"""Webhooks, as type checkers must see them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, assert_type

from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Pod

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.models import CustomResource, Unstructured
from clientgen.runtime.sync import Webhooks
from clientgen.runtime.webhooks import AdmissionRequest, Denied, SelfSigned


class OldCron(CustomResource, group="example.com", version="v1beta1", kind="Cron"):
    size: int = 0


class NewCron(CustomResource, group="example.com", version="v1", kind="Cron"):
    size: str = ""


def check(request: AdmissionRequest[Deployment]) -> None:
    assert_type(request.object, Deployment)
    assert_type(request.old_object, Deployment | None)
    assert_type(request.operation, Literal["CREATE", "UPDATE", "DELETE", "CONNECT"])
    assert_type(request.user.groups, list[str])
    request.object = Deployment()
    request.object = Pod()  # type: ignore[assignment]
    raise Denied("no", code=422)


async def check_later(request: AdmissionRequest[Deployment]) -> None: ...


def decide(request: AdmissionRequest[Deployment]) -> bool:
    return request.dry_run


def old_to_new(old: OldCron) -> NewCron:
    return NewCron(metadata=old.metadata, size=str(old.size))


async def new_to_old(new: NewCron) -> OldCron:
    return OldCron(metadata=new.metadata, size=int(new.size))


def with_asyncio(webhooks: AsyncWebhooks) -> None:
    assert_type(webhooks.validate(Deployment, check), AsyncWebhooks)
    webhooks.validate(Deployment, check_later, operations=["CREATE"], failure_policy="Ignore")
    webhooks.default(Deployment, lambda request: setattr(request.object.spec, "replicas", 2))
    webhooks.validate(Pod, check)  # type: ignore[arg-type]
    webhooks.validate(Deployment, decide)  # type: ignore[arg-type]
    webhooks.validate(Deployment, check, operations=["create"])  # type: ignore[list-item]
    webhooks.validate(Deployment, check, failure_policy="Never")  # type: ignore[call-overload]

    @webhooks.validate(Unstructured, path="/all")
    async def anything(request: AdmissionRequest[Unstructured]) -> None:
        assert_type(request.object, Unstructured)

    webhooks.convert(OldCron, NewCron, old_to_new)
    webhooks.convert(NewCron, OldCron, new_to_old)
    webhooks.convert(NewCron, OldCron, old_to_new)  # type: ignore[arg-type]
    assert_type(webhooks.configurations("shop", service="ops/shop"), list[Unstructured])
    assert_type(webhooks.install("shop", service="ops/shop", timeout_seconds=5), AsyncWebhooks)
    AsyncWebhooks(certificates=SelfSigned(secret="certs", services=["shop"]), client_ca="ca.crt")
    AsyncWebhooks(certificates=SelfSigned(services=["shop"]))  # type: ignore[call-arg]


def with_threads(webhooks: Webhooks) -> None:
    assert_type(webhooks.validate(Deployment, check).answer("/", b""), tuple[int, bytes])
    webhooks.validate(Deployment, check_later)  # type: ignore[arg-type]
    webhooks.convert(NewCron, OldCron, new_to_old)  # type: ignore[arg-type]

    @webhooks.default(Deployment, reinvocation_policy="IfNeeded")
    def fill(request: AdmissionRequest[Deployment]) -> None:
        request.object.spec.replicas = 2

    assert_type(fill, Callable[[AdmissionRequest[Deployment]], None])


async def its_life(webhooks: AsyncWebhooks) -> None:
    assert_type(await webhooks.answer("/", b""), tuple[int, bytes])
    async with webhooks as started:
        assert_type(started, AsyncWebhooks)
        assert_type(started.ready(), bool)
    await webhooks.run()


def unit_tests(function: Callable[[AdmissionRequest[Pod]], Awaitable[None] | None]) -> None:
    function(AdmissionRequest(Pod(), old_object=Pod(), operation="UPDATE"))
    function(AdmissionRequest(Deployment()))  # type: ignore[arg-type]

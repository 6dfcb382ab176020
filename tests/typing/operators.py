"""Helpers of controllers as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import Any, assert_type

import kubeapi
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Secret, Service

from clientgen.runtime.aio import AsyncFinalizer
from clientgen.runtime.controllers import (
    Event,
    EventPredicate,
    generation_changed,
    labels_changed,
    owned_by,
    set_condition,
    set_owner,
)
from clientgen.runtime.errors import ClientError, TerminalError
from clientgen.runtime.models import OwnerReference, Unstructured
from clientgen.runtime.sync import Finalizer


def is_large(event: Event[Secret]) -> bool:
    assert_type(event.new, Secret | None)
    return event.new is not None and len(event.new.data) > 1


def is_named(event: Event[Any]) -> bool:
    return event.kind == "add"


def predicates() -> None:
    wanted = generation_changed | (labels_changed & ~EventPredicate(is_named))
    assert_type(wanted, EventPredicate)
    assert_type(wanted(Event("add", None, Secret())), bool)
    assert_type(is_large & wanted | is_named, EventPredicate)
    EventPredicate(lambda event: event.kind == "add")
    wanted & "labels"  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue, reportUnusedExpression]
    EventPredicate(len)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def owners(web: Deployment, service: Service, other: Unstructured) -> None:
    assert_type(owned_by(web), OwnerReference)
    owned_by(other, controller=False)
    set_owner(service, web)
    set_owner(other, web, controller=False)
    set_owner(service, "web")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def conditions(web: Deployment, other: Unstructured) -> None:
    assert_type(set_condition(web, "Ready", True, reason="Done"), bool)
    set_condition(other, "Ready", "Unknown", reason="Starting", message="wait")
    set_condition(web, "Ready", "true", reason="Done")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    set_condition(web, "Ready", True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


async def clean(secret: Secret) -> None:
    """Remove the copies."""


async def clean_slowly(_: Secret) -> bool:
    return False


def clean_at_once(_: Secret) -> None:
    """Remove the copies."""


async def tasks(k: kubeapi.AsyncClientset, secret: Secret | None, web: Deployment) -> None:
    finalizer = AsyncFinalizer(k, "example.com/copies", clean)
    assert_type(finalizer, AsyncFinalizer[Secret])
    assert_type(await finalizer.ensure(secret), Secret | None)
    await finalizer.ensure(web)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    AsyncFinalizer(k, "example.com/copies", clean_slowly)
    AsyncFinalizer(k, "example.com/copies", clean_at_once)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(await k.patch_status(web, web), Deployment)


def threads(k: kubeapi.Clientset, secret: Secret | None, web: Deployment) -> None:
    finalizer = Finalizer(k, "example.com/copies", clean_at_once)
    assert_type(finalizer, Finalizer[Secret])
    assert_type(finalizer.ensure(secret), Secret | None)
    Finalizer(k, "example.com/copies", clean)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(k.patch_status(web, web), Deployment)


def errors() -> ClientError:
    return TerminalError("the schedule is not valid")

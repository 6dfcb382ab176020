"""The Lease of coordination.k8s.io/v1, for what the runtime itself does with leases.

Generated packages have a Lease of their own; this one is here because the runtime knows of no
package. https://kubernetes.io/docs/concepts/architecture/leases/
"""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from .._http.resource import Resource
from .._models.meta_v1 import ModelList, ObjectMeta
from .._models.model import Literal, MicroTime, Model, auto, constant

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "LEASES",
    "Lease",
    "LeaseList",
    "LeaseSpec",
    "changed_moment",
    "is_label_value",
    "short_digest",
]

LEASES: Final = Resource("coordination.k8s.io", "v1", "leases", "Lease")
"""The resource of leases."""


class LeaseSpec(Model):
    """The holder of a lease, and its times."""

    holder_identity: str | None = None
    """The identity of the holder; empty or None after a release."""
    lease_duration_seconds: int | None = None
    """The seconds that others wait after the last change that they saw."""
    acquire_time: MicroTime | None = None
    """When the holder got it, by the holder's clock."""
    renew_time: MicroTime | None = None
    """When the holder renewed it, by the holder's clock."""
    lease_transitions: int | None = None
    """The number of times that the holder has changed."""
    preferred_holder: str | None = None
    """The identity of the next holder, in an election that the server coordinates."""
    strategy: str | None = None
    """The strategy by which the server chooses the holder."""


class Lease(Model):
    """A lease."""

    api_version: Literal["coordination.k8s.io/v1"] = constant(
        "coordination.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["Lease"] = constant("Lease")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LeaseSpec = auto(LeaseSpec)


class LeaseList(ModelList[Lease]):
    """Some leases."""

    api_version: Literal["coordination.k8s.io/v1"] = constant(
        "coordination.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["LeaseList"] = constant("LeaseList")


def changed_moment(time: datetime, before: datetime | None) -> datetime:
    """A time to write that differs from the one that is there.

    Others see that a holder lives by a record that changes. A clock that stands still would make a
    renewal that changes nothing, which the server does not even store.
    """
    return time + timedelta(microseconds=1) if time == before else time


_LABEL_VALUE: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def is_label_value(text: str) -> bool:
    """Tell whether the server takes it for the value of a label."""
    return _LABEL_VALUE.fullmatch(text) is not None


def short_digest(text: str) -> str:
    """Some letters that stand for a text in names of objects."""
    return blake2b(text.encode(), digest_size=8).hexdigest()

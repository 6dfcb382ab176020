"""The Lease of coordination.k8s.io/v1, for leader election and sharding.

Generated packages have a Lease, too, but the runtime cannot depend on a generated package.
https://kubernetes.io/docs/concepts/architecture/leases/
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

LEASES: Final = Resource("coordination.k8s.io", "v1", "leases", "Lease")
"""The resource of leases."""


class LeaseSpec(Model):
    """The holder of a lease, and its times."""

    holder_identity: str | None = None
    """The identity of the holder; empty or None after a release."""
    lease_duration_seconds: int | None = None
    """The seconds that other candidates wait after the last change that they have seen."""
    acquire_time: MicroTime | None = None
    """The time at which the holder acquired the lease, by the holder's clock."""
    renew_time: MicroTime | None = None
    """The time of the last renewal, by the holder's clock."""
    lease_transitions: int | None = None
    """The number of times that the holder has changed."""
    preferred_holder: str | None = None
    """The identity of the next holder, for coordinated leader election."""
    strategy: str | None = None
    """The strategy of the server to choose the holder, for coordinated leader election."""


class Lease(Model):
    """A lease, held by one process at a time."""

    api_version: Literal["coordination.k8s.io/v1"] = constant(
        "coordination.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["Lease"] = constant("Lease")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LeaseSpec = auto(LeaseSpec)


class LeaseList(ModelList[Lease]):
    """A list of leases."""

    api_version: Literal["coordination.k8s.io/v1"] = constant(
        "coordination.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["LeaseList"] = constant("LeaseList")


def changed_moment(time: datetime, before: datetime | None) -> datetime:
    """Return a time to write that differs from the stored time.

    Other candidates recognize a live holder by changes of the record. If the clock does not move, a
    renewal would change nothing, and the server would not store it.
    """
    return time + timedelta(microseconds=1) if time == before else time


_LABEL_VALUE: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def is_label_value(text: str) -> bool:
    """Return whether a text is a valid label value."""
    return _LABEL_VALUE.fullmatch(text) is not None


def short_digest(text: str) -> str:
    """Return a short hash of a text, for names of objects."""
    return blake2b(text.encode(), digest_size=8).hexdigest()

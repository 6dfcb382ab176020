"""Checks of numbers of pods, which several kinds share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value

from .common_checks import is_not_negative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PERCENT: Final = re.compile("[0-9]+%")
_WHOLE: Final = 100
_REPLICA_SET: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")


def count_or_percent(field: str, value: int | str | None, *, whole: bool = True) -> Iterator[Cause]:
    """Check a number of pods, or a share of them that is at most the `whole`."""
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            why = (
                "a valid percent string must be a numeric string followed by an ending '%' "
                "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
            )
            yield invalid_value(field, value, why)
        elif whole and int(value[:-1]) > _WHOLE:
            yield invalid_value(field, value, "must not be greater than 100%")
    else:
        yield from is_not_negative(field, value)


def counts(status: dict[str, Any], fields: Iterable[str]) -> Iterator[Cause]:
    """Check that numbers of a status are not negative."""
    for field in fields:
        yield from is_not_negative(f"status.{field}", status.get(field))


def spec_counts(spec: dict[str, Any], *fields: str) -> Iterator[Cause]:
    """Check that numbers of a spec are not negative."""
    for field in fields:
        yield from is_not_negative(f"spec.{field}", spec.get(field))


def is_zero(value: int | str | None) -> bool:
    """Return whether a number or a share of pods is none."""
    return value in (0, "0%", None)


def replica_status_causes(
    status: dict[str, Any], fields: Iterable[str], ready: str
) -> Iterator[Cause]:
    """Check that no number is above that of all pods, and no more pods are available than ready."""
    replicas = status.get("replicas") or 0
    for field in fields:
        number = status.get(field) or 0
        if number > replicas:
            why = "cannot be greater than status.replicas"
            yield invalid_value(f"status.{field}", number, why)
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        yield invalid_value(
            "status.availableReplicas", available, f"cannot be greater than {ready}"
        )


def collision_causes(status: dict[str, Any], before: dict[str, Any]) -> Iterator[Cause]:
    """Check that the number of collisions does not decrease."""
    count, had = status.get("collisionCount"), before.get("collisionCount")
    if had is not None and (count is None or count < had):
        yield invalid_value("status.collisionCount", count, "cannot be decremented")


def replica_set_status_causes(status: dict[str, Any]) -> Iterator[Cause]:
    """Check the status of a ReplicaSet or a ReplicationController."""
    others = ("replicas", "observedGeneration", "terminatingReplicas")
    yield from counts(status, (*others, *_REPLICA_SET))
    yield from replica_status_causes(status, _REPLICA_SET, "readyReplicas")

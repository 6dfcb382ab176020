"""Conditions in the status of objects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import parts

if TYPE_CHECKING:
    from collections.abc import Mapping

TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
_CENTURY_SECONDS: Final = 100 * 365 * 86400.0
MICRO_TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def moment(text: str | None) -> datetime | None:
    """Return a time as it stands in objects; None if it is missing or cannot be read."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def after(start: datetime, seconds: float) -> datetime:
    """Return a moment after another one; one that is too far away is put off a century."""
    return start + timedelta(seconds=min(seconds, _CENTURY_SECONDS))


def condition_of(status: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """Return the condition of a type."""
    for condition in parts(status, "conditions"):
        if condition.get("type") == kind:
            return condition
    return None


def is_true(status: Mapping[str, Any], kind: str) -> bool:
    """Return whether a condition holds."""
    condition = condition_of(status, kind)
    return condition is not None and condition.get("status") == "True"


def remove_condition(status: dict[str, Any], kind: str) -> None:
    """Remove the condition of a type."""
    status["conditions"] = [
        each for each in parts(status, "conditions") if each.get("type") != kind
    ]


def set_condition(status: dict[str, Any], condition: dict[str, Any]) -> None:
    """Set a condition; one with the same status and reason stays as it is.

    The time of its last transition stays, if its status does.
    """
    current = condition_of(status, condition["type"])
    if current is not None:
        if current.get("status") == condition["status"] and current.get("reason") == condition.get(
            "reason"
        ):
            return
        if current.get("status") == condition["status"]:
            condition = {**condition, "lastTransitionTime": current.get("lastTransitionTime")}
    remove_condition(status, condition["type"])
    status["conditions"].append(condition)

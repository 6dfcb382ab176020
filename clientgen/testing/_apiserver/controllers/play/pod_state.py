"""Questions about pods that several controllers ask."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .status_conditions import condition_of, is_true, moment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


def phase_of(pod: Mapping[str, Any]) -> str:
    """Return the phase of a pod."""
    phase: str = part(pod, "status").get("phase") or "Pending"
    return phase


def is_going(value: Mapping[str, Any]) -> bool:
    """Return whether an object is being deleted."""
    return bool(value["metadata"].get("deletionTimestamp"))


def is_active(pod: Mapping[str, Any]) -> bool:
    """Return whether a pod neither ended nor is being deleted."""
    return phase_of(pod) not in FINAL_PHASES and not is_going(pod)


def is_ready(pod: Mapping[str, Any]) -> bool:
    """Return whether a pod is ready."""
    return is_true(part(pod, "status"), "Ready")


def is_available(pod: Mapping[str, Any], min_ready: int, now: datetime) -> bool:
    """Return whether a pod has been ready for long enough."""
    return seconds_until_available(pod, min_ready, now) == 0


def seconds_until_available(pod: Mapping[str, Any], min_ready: int, now: datetime) -> float | None:
    """Return how long a pod has to stay ready until it is available; None if it is not ready."""
    if not is_ready(pod):
        return None
    if not min_ready:
        return 0
    since = moment((condition_of(part(pod, "status"), "Ready") or {}).get("lastTransitionTime"))
    if since is None:
        return None
    return max(0.0, (since + timedelta(seconds=min_ready) - now).total_seconds())


def restarts_of(pod: Mapping[str, Any]) -> int:
    """Return how often the container was restarted that was restarted most."""
    statuses = parts(part(pod, "status"), "containerStatuses")
    return max((each.get("restartCount") or 0 for each in statuses), default=0)

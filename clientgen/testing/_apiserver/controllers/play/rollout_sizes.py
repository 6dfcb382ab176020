"""How many pods a rollout may add and take away: numbers only.

Facts: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy
"""

from __future__ import annotations

import math
from typing import Any

from clientgen._json import part


def resolved_count(value: int | str | None, total: int, *, up: bool) -> int:
    """Return a number, or a percentage of a total."""
    if isinstance(value, str):
        text = value.removesuffix("%")
        percent = int(text) if text.isdecimal() else 0
        return math.ceil(percent * total / 100) if up else percent * total // 100
    return value or 0


def _fenceposts(deployment: dict[str, Any]) -> tuple[int, int]:
    """Return the surge and the unavailable pods; one of them is not 0."""
    spec = deployment["spec"]
    rolling = part(spec["strategy"], "rollingUpdate")
    total = spec.get("replicas") or 0
    surge = resolved_count(rolling.get("maxSurge"), total, up=True)
    unavailable = resolved_count(rolling.get("maxUnavailable"), total, up=False)
    return (surge, 1) if surge == 0 and unavailable == 0 else (surge, unavailable)


def max_surge(deployment: dict[str, Any]) -> int:
    """Return how many pods more than the replicas there may be."""
    if deployment["spec"]["strategy"]["type"] != "RollingUpdate":
        return 0
    return _fenceposts(deployment)[0]


def max_unavailable(deployment: dict[str, Any]) -> int:
    """Return how many pods less than the replicas may be available."""
    replicas: int = deployment["spec"].get("replicas") or 0
    if deployment["spec"]["strategy"]["type"] != "RollingUpdate" or not replicas:
        return 0
    return min(_fenceposts(deployment)[1], replicas)


def share(size: int, before: int, deployment: dict[str, Any], left: int) -> int:
    """Return how many pods a ReplicaSet gets or loses if its Deployment is scaled in a rollout.

    Args:
        size: the replicas of the ReplicaSet.
        before: the most pods that the Deployment could have before it was scaled.
        deployment: the Deployment.
        left: how many pods are still to be added, or, if negative, taken away.
    """
    if not size or not left:
        return 0
    replicas: int = deployment["spec"].get("replicas") or 0
    if not replicas:
        part_of = -size
    elif not before:
        part_of = 0
    else:
        wanted = size * (replicas + max_surge(deployment)) / before
        part_of = math.floor(wanted + 0.5) - size
    return min(part_of, left) if left > 0 else max(part_of, left)

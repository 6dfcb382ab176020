"""How long things take that are played, and how many there may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

MAX_NODES: Final = 1000
_MAX_PODS: Final = 100_000
_MAX_SECONDS: Final = 1e9


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What `play` can be told.

    Attributes:
        nodes: how many nodes to make; None for one, and only in a cluster without nodes.
        pod_start: the seconds from the scheduling of a pod until its containers are ready.
        pod_stop: the seconds that a pod takes to end after it was deleted, at most its grace
            period.
        job_run: the seconds that a pod runs if it is not restarted when it ends.
        delay: the seconds after which controllers react to a change.
        max_pods: the most pods that controllers create.
    """

    nodes: int | None = None
    pod_start: float = 0.0
    pod_stop: float = 0.0
    job_run: float = 0.0
    delay: float = 0.0
    max_pods: int = 1000

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ValueError: one of them makes no sense.
        """
        for name in ("pod_start", "pod_stop", "job_run", "delay"):
            check_seconds(name, getattr(self, name))
        _check_count("nodes", 0 if self.nodes is None else self.nodes, MAX_NODES)
        _check_count("max_pods", self.max_pods, _MAX_PODS)


def check_seconds(name: str, value: float) -> float:
    """Return a number of seconds.

    Raises:
        ValueError: it is negative, or no number.
    """
    if isinstance(value, bool) or not math.isfinite(value) or not 0 <= value <= _MAX_SECONDS:
        raise ValueError(f"{name}={value!r}: it must be a number of seconds, 0 or more")
    return float(value)


def _check_count(name: str, value: int, most: int) -> None:
    if isinstance(value, bool) or not 0 <= value <= most or value != int(value):
        raise ValueError(f"{name}={value!r}: it must be a number from 0 to {most}")

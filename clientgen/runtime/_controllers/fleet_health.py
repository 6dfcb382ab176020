"""When a cluster of a fleet counts as unreachable, and what is told about it. No I/O, no clock."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

PATIENCE: Final = 10.0
"""For how many seconds a cluster may have no open watch, or no full cache, and count as reachable.

Watches end and begin again in normal work, and first lists take time.
"""

REPORT_SECONDS: Final = 60.0
"""The interval of log records about a cluster that stays unreachable."""

News: TypeAlias = Literal["lost", "still lost", "back"]


class ClusterHealth:
    """The health of one cluster, as its informers see it.

    Args:
        now: The time at which the cluster joined.

    Attributes:
        is_reachable: Whether reconciliations make sense.
    """

    def __init__(self, now: float) -> None:
        self.is_reachable = True
        self._since = now  # the beginning of the current gap, if there is one
        self._was_well = False
        self._next_report = 0.0

    def seconds(self, now: float) -> float:
        """Return for how many seconds the cluster has been unwell; 0 if it is well."""
        return 0.0 if self._was_well else max(0.0, now - self._since)

    def see(self, now: float, *, is_synced: bool, disconnected: float) -> News | None:
        """Note the state of the informers. Returns what has to be told.

        Args:
            now: The time.
            is_synced: Whether all caches have been filled.
            disconnected: For how many seconds a cache has had no open watch.
        """
        is_well = is_synced and disconnected <= 0.0
        if is_well:
            self._was_well = True
            was_reachable, self.is_reachable = self.is_reachable, True
            return None if was_reachable else "back"
        if self._was_well:
            self._was_well, self._since = False, now - disconnected
        if now - self._since < PATIENCE:
            return None
        if self.is_reachable:
            self.is_reachable = False
            self._next_report = now + REPORT_SECONDS
            return "lost"
        if now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            return "still lost"
        return None

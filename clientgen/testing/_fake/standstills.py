"""Detects a FakeClock that does not move while its clusters get no requests."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_CHECKS_PER_PATIENCE: Final = 10
# A check that is this many intervals late means that the program itself was stopped.
_LATE_INTERVALS: Final = 3
# Modules of debuggers. A thread is at a debugger's prompt while its stack contains one of them.
_DEBUGGERS: Final = ("bdb", "pdb", "pydevd", "_pydevd_bundle", "debugpy")


class Standstill:
    """Detects that a clock does not move, for code that waits by the clock.

    Time without calls of `check` does not count, because the process was stopped, the event loop
    was at a debugger's prompt, or the machine was slow.

    Args:
        activity: returns a counter of moves, requests and waits.
        patience: returns the real seconds that the clock may not move.
        refusal: returns a sentence about a request that was refused; empty without such a request.
    """

    def __init__(
        self,
        activity: Callable[[], int],
        patience: Callable[[], float],
        refusal: Callable[[], str],
    ) -> None:
        self._activity = activity
        self._patience = patience
        self._refusal = refusal
        self._last_activity = activity()
        self._since = self._checked_at = monotonic()

    @property
    def interval(self) -> float:
        """The real seconds between two calls of `check`."""
        return self._patience() / _CHECKS_PER_PATIENCE

    def check(self) -> str:
        """Return an error message if the clock has not moved for too long, else an empty text."""
        now, activity = monotonic(), self._activity()
        is_late = now - self._checked_at > _LATE_INTERVALS * max(self.interval, 0.1)
        self._checked_at = now
        if activity != self._last_activity or is_late:
            self._last_activity, self._since = activity, now
            return ""
        patience = self._patience()
        if now - self._since < patience or _is_debugged():
            return ""
        refusal = self._refusal()
        return (
            f"the FakeClock has not moved for {patience:g} s, and the cluster has received no "
            f"request{f' since {refusal}' if refusal else ''}: call step(), or use the real clock"
        )


def _is_debugged() -> bool:
    """Return whether any thread is at a debugger's prompt."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - it is documented
    return any(map(_is_at_prompt, frames.values()))


def _is_at_prompt(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False

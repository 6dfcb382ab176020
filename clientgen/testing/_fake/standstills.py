"""Standstills of a FakeClock: it does not move, and its clusters get no requests."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["Standstill"]

_CHECKS_PER_PATIENCE: Final = 10
# A check that is this many intervals late means that the program itself was stopped.
_LATE_INTERVALS: Final = 3
# Modules of debuggers. A thread is at a debugger's prompt while its stack contains one of them.
_DEBUGGERS: Final = ("bdb", "pdb", "pydevd", "_pydevd_bundle", "debugpy")


class Standstill:
    """Detects that a clock stands still, for code that waits by it.

    Time without calls of `check` does not count: the process was stopped, the event loop was at a
    debugger's prompt, or the machine was slow.

    Args:
        activity: returns a counter of moves, requests and waits.
        patience: returns the real seconds that the clock may stand still.
        refusal: returns a sentence on a request that was refused; empty if none was.
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
        self._seen = activity()
        self._since = self._checked = monotonic()

    @property
    def interval(self) -> float:
        """The real seconds between two calls of `check`."""
        return self._patience() / _CHECKS_PER_PATIENCE

    def check(self) -> str:
        """Return an error message if the clock has stood still for too long, else an empty text."""
        now, activity = monotonic(), self._activity()
        is_late = now - self._checked > _LATE_INTERVALS * max(self.interval, 0.1)
        self._checked = now
        if activity != self._seen or is_late:
            self._seen, self._since = activity, now
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
    """Tell whether any thread is at a debugger's prompt."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - it is documented
    return any(map(_is_at_prompt, frames.values()))


def _is_at_prompt(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False

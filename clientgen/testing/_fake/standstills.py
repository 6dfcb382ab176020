"""Standstills of a clock: nobody moves it, and nothing happens in its clusters."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["Standstill"]

_LOOKS: Final = 10
# After so many intervals without a look, the program itself has stood still.
_LATE: Final = 3
# Modules of debuggers. A thread is at a prompt while one of them is on its stack.
_DEBUGGERS: Final = ("bdb", "pdb", "pydevd", "_pydevd_bundle", "debugpy")


class Standstill:
    """Watches a clock for somebody who waits by it.

    Time in which nobody looked does not count: the process was stopped, the event loop was at a
    debugger's prompt, or the machine is slow.

    Args:
        stirs: gives a number that grows with every move of the clock, request and wait.
        patience: gives the real seconds that the clock may stand still.
        trouble: gives what was refused meanwhile, in words.
    """

    def __init__(
        self,
        stirs: Callable[[], int],
        patience: Callable[[], float],
        trouble: Callable[[], str],
    ) -> None:
        self._stirs = stirs
        self._patience = patience
        self._trouble = trouble
        self._seen = stirs()
        self._since = self._looked = monotonic()

    @property
    def interval(self) -> float:
        """The real seconds from one look to the next."""
        return self._patience() / _LOOKS

    def look(self) -> str:
        """Look again; gives a sentence if it has stood still for too long, else nothing."""
        now, stirs = monotonic(), self._stirs()
        is_late = now - self._looked > _LATE * max(self.interval, 0.1)
        self._looked = now
        if stirs != self._seen or is_late:
            self._seen, self._since = stirs, now
            return ""
        patience = self._patience()
        if now - self._since < patience or _is_debugged():
            return ""
        trouble = self._trouble()
        return (
            f"nobody has moved the FakeClock for {patience:g} s, and nothing has happened in the "
            f"cluster{f' since {trouble}' if trouble else ''}: step the clock, or use the real one"
        )


def _is_debugged() -> bool:
    """Tell whether a thread is at the prompt of a debugger."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - it is documented
    return any(map(_is_at_prompt, frames.values()))


def _is_at_prompt(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False

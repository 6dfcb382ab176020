"""Who waits by a clock, and whether they have done what a move of the clock has woken them for."""

from __future__ import annotations

import asyncio
import threading
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    Party: TypeAlias = threading.Thread | asyncio.AbstractEventLoop

__all__ = ["ClockWait", "Rest", "is_alive", "running_loop"]

# So often in a row the tasks of a loop may run without a request or a wait by the clock; what they
# do is done then.
_QUIET_ROUNDS: Final = 30
# How long a step waits for a thread that waits for something else than the clock.
_PATIENCE: Final = 10.0
# After so many requests and waits at one moment, time goes on, because they may be endless: two
# controllers that undo each other's work, for example. The second number is for the moments that
# follow such a moment.
_MOST_STIRS: Final = 2_000
_FEW_STIRS: Final = 50


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that runs in this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def is_alive(party: Party) -> bool:
    """Tell whether somebody may still do something."""
    return party.is_alive() if isinstance(party, threading.Thread) else not party.is_closed()


class ClockWait:
    """Somebody who is woken when a clock moves.

    Args:
        wake: wakes them.
        due: the moment that they wait for, if there is one.
        is_over: whether something else has ended the wait; None for who only listens.
        gives_up: the moment at which they give up, if there is one.
    """

    def __init__(
        self,
        wake: Callable[[], object],
        due: Callable[[], float | None],
        is_over: Callable[[], bool] | None = None,
        gives_up: float | None = None,
    ) -> None:
        self.wake = wake
        self.due = due
        self.gives_up = gives_up
        self.party: Party = running_loop() or threading.current_thread()
        self._is_over = is_over

    @property
    def is_wait(self) -> bool:
        """Whether somebody waits; else they only listen."""
        return self._is_over is not None

    @property
    def acts(self) -> bool:
        """Whether somebody goes on when it ends, beside who moves the clock."""
        return self.is_wait or isinstance(self.party, asyncio.AbstractEventLoop)

    def is_over_at(self, moment: float) -> bool:
        """Tell whether it is over at a moment, though who waited may not have noticed yet."""
        due = self.due()
        return (due is not None and due <= moment) or (
            self._is_over is not None and self._is_over()
        )


class Rest:
    """Waits for all who may have been woken: until they wait by the clock again, or are done.

    Args:
        parties: those who have waited by the clock.
        waits: gives those who wait now.
        stirs: gives a number that grows with every request and every wait.
        moment: the time of the clock.
        is_restless: whether they have not come to rest at the moment before.
    """

    def __init__(
        self,
        parties: Iterable[Party],
        waits: Callable[[], Sequence[ClockWait]],
        stirs: Callable[[], int],
        moment: float,
        *,
        is_restless: bool,
    ) -> None:
        parties = list(parties)
        self._threads = {each for each in parties if isinstance(each, threading.Thread)}
        self._threads.discard(threading.current_thread())
        self._waits = waits
        self._moment = moment
        loops = [each for each in parties if isinstance(each, asyncio.AbstractEventLoop)]
        self._quiets = [_Quiet(loop, stirs) for loop in loops]
        self._end = monotonic() + _PATIENCE
        self._stirs = stirs
        self._most_stirs = stirs() + (_FEW_STIRS if is_restless else _MOST_STIRS)

    def is_reached(self) -> bool:
        """Tell whether all have done what they were woken for, or are not to be waited for."""
        if monotonic() > self._end or self.is_restless():
            return True
        return all(quiet.is_reached for quiet in self._quiets) and not self.busy_threads()

    def is_restless(self) -> bool:
        """Tell whether they do so much that it may be endless."""
        return self._stirs() > self._most_stirs

    def busy_threads(self) -> set[threading.Thread]:
        """The threads that do not wait by the clock."""
        resting = {each.party for each in self._waits() if self._rests(each)}
        return {each for each in self._threads if each.is_alive() and each not in resting}

    def _rests(self, wait: ClockWait) -> bool:
        return wait.is_wait and not wait.is_over_at(self._moment)


class _Quiet:
    """Lets the tasks of a loop run until they have nothing more to do."""

    def __init__(self, loop: asyncio.AbstractEventLoop, stirs: Callable[[], int]) -> None:
        self._loop = loop
        self._stirs = stirs
        self._seen = -1
        self._left = _QUIET_ROUNDS
        try:
            loop.call_soon_threadsafe(self._look)
        except RuntimeError:  # it is closed
            self._left = 0

    @property
    def is_reached(self) -> bool:
        return not self._left or not self._loop.is_running()

    def _look(self) -> None:
        stirs = self._stirs()
        self._left = self._left - 1 if stirs == self._seen else _QUIET_ROUNDS
        self._seen = stirs
        if self._left:
            self._loop.call_soon(self._look)

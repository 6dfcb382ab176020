"""Waits by a FakeClock. `Settling` detects when the woken threads and tasks have finished.

A runner is a thread, or an event loop with its tasks.
"""

from __future__ import annotations

import asyncio
import threading
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    Runner: TypeAlias = threading.Thread | asyncio.AbstractEventLoop

# The tasks of a loop are idle after this many loop iterations without a request or a clock wait.
_IDLE_ITERATIONS: Final = 30
# The real time that a step waits for a thread that waits for something other than the clock.
_THREAD_TIMEOUT_SECONDS: Final = 10.0
# After this many requests and waits at one time, the clock moves on, because the runners may never
# settle: two controllers may undo each other's work. The lower limit is for the times that follow.
_MAX_ACTIVITY: Final = 2_000
_MAX_ACTIVITY_AFTERWARDS: Final = 50


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread; None without a loop."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def is_alive(runner: Runner) -> bool:
    """Return whether the thread may still run, or the loop is still open."""
    return runner.is_alive() if isinstance(runner, threading.Thread) else not runner.is_closed()


class ClockWait:
    """A wait or a listener that the clock wakes when it moves.

    Args:
        wake: called after each move of the clock.
        due: returns the time that ends the wait; None if no time ends it.
        is_over: returns whether something else has ended the wait; None for a listener.
        gives_up: the time at which a client gives up the wait; None for no such time.
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
        self.runner: Runner = running_loop() or threading.current_thread()
        self._is_over = is_over

    @property
    def is_wait(self) -> bool:
        """Whether code waits by the clock, and does not only listen to its moves."""
        return self._is_over is not None

    @property
    def resumes_code(self) -> bool:
        """Whether `wake` continues the code of another thread or task."""
        return self.is_wait or isinstance(self.runner, asyncio.AbstractEventLoop)

    def is_over_at(self, moment: float) -> bool:
        """Return whether the wait has ended at a time, even if the waiting code has not run yet."""
        due = self.due()
        return (due is not None and due <= moment) or (
            self._is_over is not None and self._is_over()
        )


class Settling:
    """Detects when all woken runners wait by the clock again or have finished.

    Args:
        runners: the runners that have waited by the clock.
        waits: returns the current waits.
        activity: returns a counter of requests and waits.
        moment: the time of the clock.
        is_restless: whether the runners did not settle at the previous time.
    """

    def __init__(
        self,
        runners: Iterable[Runner],
        waits: Callable[[], Sequence[ClockWait]],
        activity: Callable[[], int],
        moment: float,
        *,
        is_restless: bool,
    ) -> None:
        runners = list(runners)
        self._threads = {each for each in runners if isinstance(each, threading.Thread)}
        self._threads.discard(threading.current_thread())
        self._waits = waits
        self._moment = moment
        loops = [each for each in runners if isinstance(each, asyncio.AbstractEventLoop)]
        self._idle_loops = [_LoopIdle(loop, activity) for loop in loops]
        self._deadline = monotonic() + _THREAD_TIMEOUT_SECONDS
        self._activity = activity
        self._max_activity = activity() + (
            _MAX_ACTIVITY_AFTERWARDS if is_restless else _MAX_ACTIVITY
        )

    def is_settled(self) -> bool:
        """Return whether all runners have settled, or the step must not wait any longer."""
        if monotonic() > self._deadline or self.is_restless():
            return True
        return all(idle.is_settled for idle in self._idle_loops) and not self.busy_threads()

    def is_restless(self) -> bool:
        """Return whether the runners make so many requests that they may never settle."""
        return self._activity() > self._max_activity

    def busy_threads(self) -> set[threading.Thread]:
        """Return the threads that do not wait by the clock."""
        waiting = {each.runner for each in self._waits() if self._is_waiting(each)}
        return {each for each in self._threads if each.is_alive() and each not in waiting}

    def _is_waiting(self, wait: ClockWait) -> bool:
        return wait.is_wait and not wait.is_over_at(self._moment)


class _LoopIdle:
    """Counts iterations of an event loop until its tasks are idle."""

    def __init__(self, loop: asyncio.AbstractEventLoop, activity: Callable[[], int]) -> None:
        self._loop = loop
        self._activity = activity
        self._last_activity = -1
        self._remaining_iterations = _IDLE_ITERATIONS
        try:
            loop.call_soon_threadsafe(self._count_iteration)
        except RuntimeError:  # the loop is closed
            self._remaining_iterations = 0

    @property
    def is_settled(self) -> bool:
        return not self._remaining_iterations or not self._loop.is_running()

    def _count_iteration(self) -> None:
        activity = self._activity()
        self._remaining_iterations = (
            self._remaining_iterations - 1 if activity == self._last_activity else _IDLE_ITERATIONS
        )
        self._last_activity = activity
        if self._remaining_iterations:
            self._loop.call_soon(self._count_iteration)

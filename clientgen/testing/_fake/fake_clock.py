"""A clock that moves only when a test moves it."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from math import inf
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from .clock_waits import ClockWait, Settling, is_alive, running_loop
from .standstills import Standstill

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .clock_waits import Runner

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
# After this many stops within a second, the clock skips the rest of that second, because code may
# wait for shorter and shorter times. The lower limit applies to the second after that second.
_MAX_STOPS_PER_SECOND: Final = 10_000
_MAX_STOPS_AFTERWARDS: Final = 100
_POLL_INTERVAL_SECONDS: Final = 0.0005
# The patience after `pytest --under-rbac` has refused a request, because the run fails anyway.
_REFUSAL_PATIENCE_SECONDS: Final = 2.0


class FakeClock:
    """A clock that the test controls. Pass it to a FakeCluster.

    Waits by this clock last until `step` or `set` has moved the clock far enough. Such waits are
    the end of a watch, a delayed response, and the timeout of an in-process call. Threads may share
    a clock.

    A wait for objects, a stream with a timeout, or the wait of a manager for its caches fails if
    the clock has not moved and no request was made for `patience` seconds of real time. With None,
    such waits never fail.
    """

    def __init__(self, now: datetime = _START, *, patience: float | None = 30.0) -> None:
        if patience is not None and not patience > 0:  # rejects NaN, too
            raise ValueError(f"patience must be a positive number or None, not {patience!r}")
        # Reentrant, because garbage collection may close a watch, which cancels its wait.
        self._lock = threading.RLock()
        self._now = _aware(now)
        self._elapsed = 0.0
        self._waits: dict[object, ClockWait] = {}
        self._stops: list[Callable[[], float | None]] = []
        self._current_move = _Move()
        self._activity = 0
        self._patience = patience
        self._refusal = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._now.isoformat()})"

    def now(self) -> datetime:
        """The time of day, in UTC."""
        with self._lock:
            own = self._current_move.own_end()
            return self._now if own is None else own.day

    def monotonic(self) -> float:
        """The seconds that this clock has moved forward so far."""
        with self._lock:
            own = self._current_move.own_end()
            return self._elapsed if own is None else own.moment

    def step(self, seconds: float) -> Step:
        """Move the clock forward, and end the waits that have become due.

        The clock stops at each time that a thread or task waits for, and the woken code runs. So
        one long step has the same effect as many short steps. On an event loop, woken tasks run
        when the caller awaits: `await clock.step(60)` returns when they have finished their work.
        Requests of the caller wait for the end of the step. Any task may await the step; if that
        task is cancelled, the clock still moves. A second step meanwhile begins at the end of the
        first step.

        Raises:
            ValueError: `seconds` is negative. Use `set` to turn the time of day back.
        """
        if seconds < 0:
            raise ValueError(f"time cannot go backwards: step({seconds!r})")
        return self._move(timedelta(seconds=seconds), seconds)

    def set(self, now: datetime) -> Step:
        """Set the time of day, and end the waits that have become due, as `step` does.

        Setting a later time moves `monotonic` forward by the difference. Setting an earlier time
        does not change `monotonic`, as when an administrator turns a clock back.

        Raises:
            ValueError: `now` has no time zone.
        """
        with self._lock:
            difference = _aware(now) - self._now - self._current_move.of_day
        return self._move(difference, max(0.0, difference.total_seconds()))

    def advance_to(self, moment: float) -> None:
        """Move the clock forward to a time of `monotonic`.

        Earlier times have no effect. The clock stops at each time at which the cluster has work.
        Other waits end after the move.
        """
        self.finish()
        while (stop := self._next_due(moment)) is not None:
            self._advance(stop)
        self._advance(moment)

    def stop_at(self, due: Callable[[], float | None]) -> None:
        """Make `step` stop at each time that `due` returns.

        So the work of the cluster that is due then takes effect at exactly that time.
        """
        self._stops.append(due)

    # ---- steps --------------------------------------------------------------------------------

    def _move(self, by: timedelta, seconds: float) -> Step:
        with self._lock:
            move = self._current_move
            move.target = max(move.target, self._elapsed) + seconds
            move.of_day += by
            step = Step(self, move.add(_StepEnd(move.target, self._now + move.of_day)))
            if move.is_under_way and is_alive(move.driver):  # the driver moves on to the new target
                return step
            move.begin()
            move.stop_limit = _StopLimit()
        settling = self._let_run() if self._has_work() else self._move_to_next_due()
        loop = running_loop()
        if loop is not None and settling is not None:
            move.continue_on_loop()
            loop.call_soon(self._poll, loop, settling)
            return step
        while settling is not None:
            while not settling.is_settled():
                sleep(_POLL_INTERVAL_SECONDS)
            settling = self._after_settling(settling)
        return step

    def _poll(self, loop: asyncio.AbstractEventLoop, settling: Settling) -> None:
        """Continue when the tasks have settled. The loop calls this in each iteration."""
        following = self._after_settling(settling) if settling.is_settled() else settling
        if following is not None:
            loop.call_soon(self._poll, loop, following)

    def _after_settling(self, settling: Settling) -> Settling | None:
        """Continue when runners have settled.

        Returns the next wait for runners; None at the end.
        """
        self._current_move.drop_unsettled(settling)
        return (
            self._let_run()
            if self._current_move.end_steps_until(self._elapsed)
            else self._move_to_next_due()
        )

    def _move_to_next_due(self) -> Settling | None:
        """Move to the next due time. Returns the wait for runners at that time; None at the end."""
        move = self._current_move
        while move.is_under_way:
            stop = self._next_due(move.target, waits=True)
            moment = move.target if stop is None else move.stop_limit.moment_of(stop)
            if moment >= move.target:
                self.finish()
                break
            self._advance(moment)
            if move.runners:
                return self._let_run()
        return None

    def _has_work(self) -> bool:
        """Return whether any code has to run before the end of the steps."""
        if self._next_due(self._current_move.target, waits=True) is not None:
            return True
        now = self._elapsed
        return any(each.resumes_code and each.is_over_at(now) for each in self._all_waits())

    def _let_run(self) -> Settling:
        """Let the woken runners work.

        Returns the `Settling` that detects when they have finished.
        """
        move = self._current_move
        return Settling(
            move.runners,
            self._all_waits,
            lambda: self._activity,
            self._elapsed,
            is_restless=move.is_restless,
        )

    def finish(self) -> None:
        """Move to the end of all steps at once."""
        with self._lock:
            move = self._current_move
            if not move.is_under_way:
                return
            self._now += move.of_day
            self._elapsed = max(move.target, self._elapsed)
            move.end()
        self._wake_all()

    async def own_step_passed(self) -> None:
        """Wait for the end of the step that the calling task has begun, if there is one."""
        own = self._current_move.own_end()
        if own is not None:
            await own.own_step_passed()

    async def settled(self, end: _StepEnd) -> None:
        """Wait for the end of a step, and for the work of the code that the step wakes."""
        await end.own_step_passed()
        if end.has_settled:
            return
        settling = self._let_run()
        while not settling.is_settled():  # noqa: ASYNC110 - idle tasks set no event
            await asyncio.sleep(0)

    @property
    def is_moving(self) -> bool:
        """Whether a step is under way."""
        return self._current_move.is_under_way

    def finish_own_step(self) -> None:
        """Move to the end at once, if the calling task has begun the step."""
        if self._current_move.own_end() is not None:
            self.finish()

    def _next_due(self, until: float, *, waits: bool = False) -> float | None:
        """Return the next time before `until` at which the cluster has work.

        With `waits`, times that code waits for and the ends of steps count, too.
        """
        dues = [*self._stops, *(each.due for each in self._all_waits() if waits)]
        moments = [moment for due in dues if (moment := due()) is not None]
        moments += self._current_move.ends() if waits else ()
        return min((each for each in moments if self._elapsed < each < until), default=None)

    def _advance(self, moment: float) -> None:
        with self._lock:
            seconds = max(0.0, moment - self._elapsed)
            self._now += timedelta(seconds=seconds)
            self._elapsed += seconds
            self._elapsed = max(moment, self._elapsed)
            self._activity += 1
            if self._current_move.is_under_way:
                self._current_move.of_day -= timedelta(seconds=seconds)
        self._wake_all()

    def _wake_all(self) -> None:
        for each in self._all_waits():
            each.wake()

    # ---- standing still -----------------------------------------------------------------------

    def standstill(self) -> Standstill | None:
        """Start checking that the clock moves; None if the clock has no `patience`."""
        patience = self._patience
        if patience is None:
            return None
        return Standstill(
            lambda: self._activity,
            lambda: min(patience, _REFUSAL_PATIENCE_SECONDS) if self._refusal else patience,
            lambda: self._refusal,
        )

    def note_refusal(self, words: str) -> None:
        """Note a request that the roles of the test run do not allow, so that waits fail sooner."""
        self._refusal = self._refusal or words

    # ---- waits and listeners ------------------------------------------------------------------

    def _all_waits(self) -> list[ClockWait]:
        with self._lock:
            return list(self._waits.values())

    @property
    def waiters(self) -> int:
        """The number of waits and listeners.

        Each cluster has a listener, and each waiting request has a wait.
        """
        with self._lock:
            return len(self._waits)

    @property
    def next_timeout(self) -> float | None:
        """The next time at which a client gives up waiting; None without such a client."""
        moments = [each.gives_up for each in self._all_waits() if each.gives_up is not None]
        return min((moment for moment in moments if moment > self._elapsed), default=None)

    def on_move(self, wake: Callable[[], object], until: float | None = None) -> Callable[[], None]:
        """Call `wake` after each move of the clock. Returns a function that removes the listener.

        `until` is the time at which the caller gives up waiting; None for no such time.
        """
        return self._add_wait(ClockWait(wake, lambda: until, gives_up=until))

    def on_wait(
        self,
        wake: Callable[[], object],
        due: Callable[[], float | None],
        is_over: Callable[[], bool],
    ) -> Callable[[], None]:
        """Call `wake` like `on_move`, for code that waits until `due()` or `is_over()`."""
        return self._add_wait(ClockWait(wake, due, is_over))

    def note_activity(self) -> None:
        """Note a request: the clients of the cluster are not idle."""
        self._activity += 1

    def _add_wait(self, wait: ClockWait) -> Callable[[], None]:
        key = object()
        with self._lock:
            self._activity += 1
            self._waits[key] = wait
            if wait.resumes_code:
                self._current_move.runners.add(wait.runner)

        def forget() -> None:
            with self._lock:
                self._activity += 1
                self._waits.pop(key, None)

        return forget


class Step:
    """A step of a clock that may not have ended.

    Await it to let tasks work at each stop. A step is false, so that `lambda: clock.step(1) or
    is_done()` returns the result of `is_done`.
    """

    def __init__(self, clock: FakeClock, end: _StepEnd) -> None:
        self._clock = clock
        self._end = end

    def __bool__(self) -> bool:
        return False

    def __await__(self) -> Generator[Any, None, None]:
        return self._clock.settled(self._end).__await__()


class _StepEnd:
    """The end of a step.

    Args:
        moment: `monotonic` at the end.
        day: the time of day at the end.
    """

    def __init__(self, moment: float, day: datetime) -> None:
        self.moment = moment
        self.day = day
        self.is_reached = False
        self.has_settled = False
        """Whether the code that was woken at the end has finished its work."""
        self._waiting: set[asyncio.Future[None]] = set()

    async def own_step_passed(self) -> None:
        """Wait until the clock has reached the end."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            if not self.is_reached:
                await waiter
        finally:
            self._waiting.discard(waiter)

    def reach(self, *, has_settled: bool) -> bool:
        """Note that the clock has reached the end.

        Returns whether a task was waiting for the end.
        """
        self.is_reached, self.has_settled = True, has_settled
        waiting = tuple(self._waiting)
        for waiter in waiting:
            if not waiter.get_loop().is_closed():
                waiter.get_loop().call_soon_threadsafe(_release, waiter)
        return bool(waiting)


class _StopLimit:
    """Limits the stops within one second of the clock."""

    def __init__(self) -> None:
        self._remaining_stops = _MAX_STOPS_PER_SECOND
        self._end_of_second = -inf

    def moment_of(self, stop: float) -> float:
        """Return `stop`, or the end of its second if that second had too many stops."""
        if stop >= self._end_of_second:
            self._remaining_stops = (
                _MAX_STOPS_PER_SECOND if self._remaining_stops > 0 else _MAX_STOPS_AFTERWARDS
            )
            self._end_of_second = stop + 1.0
        if self._remaining_stops <= 0:
            return self._end_of_second
        self._remaining_stops -= 1
        return stop


class _Move:
    """The move of a clock to the end of its steps, with the stops in between."""

    def __init__(self) -> None:
        self.target = 0.0
        self.of_day = timedelta()
        """How far the time of day still has to move."""
        self.is_under_way = False
        self.driver: Runner = threading.current_thread()
        """The thread or loop that moves the clock."""
        self.stop_limit = _StopLimit()
        self.runners: set[Runner] = set()
        """The runners that have waited by the clock and may wait again."""
        self.is_restless = False
        """Whether the runners did not settle at the last stop."""
        self._ends: list[_StepEnd] = []
        """The ends of the steps that are under way."""
        self._task: asyncio.Task[Any] | None = None
        self._own_end: _StepEnd | None = None

    def add(self, end: _StepEnd) -> _StepEnd:
        """Add a step, and continue the move to the end of the step."""
        self._ends.append(end)
        if self._is_mine():
            self._own_end = end
        return end

    def begin(self) -> None:
        """Begin a move; the calling thread or loop drives it."""
        self.is_under_way = True
        self.driver = running_loop() or threading.current_thread()
        self.runners = {each for each in self.runners if is_alive(each)}
        self._task = self._own_end = None

    def continue_on_loop(self) -> None:
        """Let the loop continue the move. The calling task already reads the time of the end."""
        self._task = asyncio.current_task()
        self._own_end = self._ends[-1] if self._ends else None

    def drop_unsettled(self, settling: Settling) -> None:
        """Stop waiting for the threads that have not settled."""
        self.runners -= settling.busy_threads()  # these threads do not wait by the clock
        self.is_restless = settling.is_restless()

    def ends(self) -> list[float]:
        """Return the times at which the current steps end."""
        return [each.moment for each in tuple(self._ends)]

    def end_steps_until(self, moment: float) -> bool:
        """End the steps that end at this time or before.

        Returns whether a task awaited one of them.
        """
        over = [each for each in tuple(self._ends) if each.moment <= moment]
        is_awaited = False
        for each in over:
            self._ends.remove(each)
            is_awaited |= each.reach(has_settled=True)
        return is_awaited

    def end(self) -> None:
        """End the move and all its steps."""
        ends, self._ends = self._ends, []
        for each in ends:
            each.reach(has_settled=False)
        self.of_day, self.is_under_way = timedelta(), False
        self._task = self._own_end = None

    def own_end(self) -> _StepEnd | None:
        """Return the end of the calling task's step, if that task has begun the move."""
        end = self._own_end
        return end if end is not None and not end.is_reached and self._is_mine() else None

    def _is_mine(self) -> bool:
        return (
            self._task is not None
            and running_loop() is not None
            and (asyncio.current_task() is self._task)
        )


def _release(end: asyncio.Future[None]) -> None:
    if not end.done():
        end.set_result(None)


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write datetime(..., tzinfo=UTC)")
    return moment.astimezone(UTC)

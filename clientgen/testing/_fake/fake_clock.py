"""A clock that moves only when a test moves it."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from math import inf
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from .clock_waits import ClockWait, Rest, is_alive, running_loop
from .standstills import Standstill

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .clock_waits import Party

__all__ = ["FakeClock", "Step"]

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
# After so many stops within a second, the rest of that second passes at once: somebody may wait for
# ever shorter times. The second number is for a second that follows such a one.
_MOST_STOPS: Final = 10_000
_FEW_STOPS: Final = 100
_LOOK_AGAIN: Final = 0.0005
# How long a clock may stand still once a request was refused by `pytest --under-rbac`: the run
# fails anyway.
_AFTER_REFUSAL: Final = 2.0


class FakeClock:
    """A clock under the test's control. Pass it to a FakeCluster.

    Waits by this clock last until `step` or `set` has moved it far enough: the end of a watch, a
    delayed response, the timeout of an in-process call. Threads may share it.

    A wait for objects, a stream with a timeout, or the wait of a manager for its caches fails if
    nobody has moved the clock for `patience` seconds of real time, and no request was made
    meanwhile. With None it never does.
    """

    def __init__(self, now: datetime = _START, *, patience: float | None = 30.0) -> None:
        if patience is not None and not patience > 0:  # neither is nan
            raise ValueError(f"patience must be a positive number or None, not {patience!r}")
        self._lock = threading.RLock()  # a watch that is collected in here forgets its alarm
        self._now = _aware(now)
        self._elapsed = 0.0
        self._waits: dict[object, ClockWait] = {}
        self._stops: list[Callable[[], float | None]] = []
        self._way = _Way()
        self._stirs = 0
        self._patience = patience
        self._refusal = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._now.isoformat()})"

    def now(self) -> datetime:
        """The time of day, in UTC."""
        with self._lock:
            own = self._way.own_end()
            return self._now if own is None else own.day

    def monotonic(self) -> float:
        """The seconds that this clock has moved forward so far."""
        with self._lock:
            own = self._way.own_end()
            return self._elapsed if own is None else own.moment

    def step(self, seconds: float) -> Step:
        """Move the clock forward, and end the waits that are over.

        On the way it stops at each moment that somebody waits for, and lets those who are woken do
        their work: one long step does the same as many short ones. On an event loop, tasks do it
        when the caller awaits something: `await clock.step(60)` returns when all is done. Requests
        of the caller wait for the end of the step. Any task may await it, and time goes on if that
        is cancelled. Of two steps at a time, the second begins at the end of the first.

        Raises:
            ValueError: `seconds` is negative; `set` can turn the time of day back.
        """
        if seconds < 0:
            raise ValueError(f"time cannot go backwards: step({seconds!r})")
        return self._move(timedelta(seconds=seconds), seconds)

    def set(self, now: datetime) -> Step:
        """Set the time of day, and end the waits that are over, as `step` does.

        Moving it forward lets as much time pass for durations. Turning it back does not affect
        durations, as when an administrator does so.

        Raises:
            ValueError: `now` has no time zone.
        """
        with self._lock:
            difference = _aware(now) - self._now - self._way.of_day
        return self._move(difference, max(0.0, difference.total_seconds()))

    def advance_to(self, moment: float) -> None:
        """Move the clock forward to a moment of `monotonic`; it does not move backwards.

        It stops where there is work in the cluster. Nobody else does anything on the way.
        """
        self.finish()
        while (stop := self._next_due(moment)) is not None:
            self._go(stop)
        self._go(moment)

    def stop_at(self, due: Callable[[], float | None]) -> None:
        """Have `step` stop at each moment that `due` returns, on the way.

        So work that is due earlier is done earlier, and what follows from it begins in time.
        """
        self._stops.append(due)

    # ---- the way to a moment ------------------------------------------------------------------

    def _move(self, by: timedelta, seconds: float) -> Step:
        with self._lock:
            way = self._way
            way.target = max(way.target, self._elapsed) + seconds
            way.of_day += by
            step = Step(self, way.add(_End(way.target, self._now + way.of_day)))
            if way.is_under_way and is_alive(way.driver):  # who makes it goes further
                return step
            way.begin()
            way.pace = _Pace()
        rest = self._let_act() if self._has_work() else self._go_on()
        loop = running_loop()
        if loop is not None and rest is not None:
            way.hand_over()
            loop.call_soon(self._look, loop, rest)
            return step
        while rest is not None:
            while not rest.is_reached():
                sleep(_LOOK_AGAIN)
            rest = self._after(rest)
        return step

    def _look(self, loop: asyncio.AbstractEventLoop, rest: Rest) -> None:
        """Go on when the tasks have done their work; called by the loop."""
        following = self._after(rest) if rest.is_reached() else rest
        if following is not None:
            loop.call_soon(self._look, loop, following)

    def _after(self, rest: Rest) -> Rest | None:
        """Go on when all have acted; gives what waits for those who act next."""
        self._way.note_end(rest)
        return self._let_act() if self._way.let_go(self._elapsed) else self._go_on()

    def _go_on(self) -> Rest | None:
        """Move to the next moment that somebody waits for; gives what waits for who was woken.

        None if this was the end of the way.
        """
        way = self._way
        while way.is_under_way:
            stop = self._next_due(way.target, waits=True)
            moment = way.target if stop is None else way.pace.moment_of(stop)
            if moment >= way.target:
                self.finish()
                break
            self._go(moment)
            if way.parties:
                return self._let_act()
        return None

    def _has_work(self) -> bool:
        """Tell whether somebody has to act before the end of the way."""
        if self._next_due(self._way.target, waits=True) is not None:
            return True
        now = self._elapsed
        return any(each.acts and each.is_over_at(now) for each in self._all_waits())

    def _let_act(self) -> Rest:
        """Let all who have waited do what there is to do now."""
        way = self._way
        return Rest(
            way.parties,
            self._all_waits,
            lambda: self._stirs,
            self._elapsed,
            is_restless=way.is_restless,
        )

    def finish(self) -> None:
        """Go the rest of the way of a step at once."""
        with self._lock:
            way = self._way
            if not way.is_under_way:
                return
            self._now += way.of_day
            self._elapsed = max(way.target, self._elapsed)
            way.end()
        self._wake_all()

    async def passed(self) -> None:
        """Wait for the end of a step, if the task that calls this has made it."""
        own = self._way.own_end()
        if own is not None:
            await own.passed()

    async def acted(self, end: _End) -> None:
        """Wait for the end of a step, and for all who are woken there."""
        await end.passed()
        if end.have_acted:
            return
        rest = self._let_act()
        while not rest.is_reached():  # noqa: ASYNC110 - tasks set no event when they rest
            await asyncio.sleep(0)

    @property
    def is_passing(self) -> bool:
        """Whether a step is under way."""
        return self._way.is_under_way

    def finish_own(self) -> None:
        """Go the rest of the way at once, if the task that calls this has made the step."""
        if self._way.own_end() is not None:
            self.finish()

    def _next_due(self, until: float, *, waits: bool = False) -> float | None:
        """The next moment of work in the cluster, or of somebody's wait as well, before another."""
        dues = [*self._stops, *(each.due for each in self._all_waits() if waits)]
        moments = [moment for due in dues if (moment := due()) is not None]
        moments += self._way.ends() if waits else ()
        return min((each for each in moments if self._elapsed < each < until), default=None)

    def _go(self, moment: float) -> None:
        with self._lock:
            seconds = max(0.0, moment - self._elapsed)
            self._now += timedelta(seconds=seconds)
            self._elapsed += seconds
            self._elapsed = max(moment, self._elapsed)
            self._stirs += 1
            if self._way.is_under_way:
                self._way.of_day -= timedelta(seconds=seconds)
        self._wake_all()

    def _wake_all(self) -> None:
        for each in self._all_waits():
            each.wake()

    # ---- standing still -----------------------------------------------------------------------

    def standstill(self) -> Standstill | None:
        """Begin to watch whether it stands still; None if it may do so for ever."""
        patience = self._patience
        if patience is None:
            return None
        return Standstill(
            lambda: self._stirs,
            lambda: min(patience, _AFTER_REFUSAL) if self._refusal else patience,
            lambda: self._refusal,
        )

    def note_refusal(self, words: str) -> None:
        """Note a request that roles of the test run do not allow: waits need no patience then."""
        self._refusal = self._refusal or words

    # ---- who waits ----------------------------------------------------------------------------

    def _all_waits(self) -> list[ClockWait]:
        with self._lock:
            return list(self._waits.values())

    @property
    def waiters(self) -> int:
        """The number of its listeners: each cluster, and each waiting request."""
        with self._lock:
            return len(self._waits)

    @property
    def next_timeout(self) -> float | None:
        """The next moment at which somebody gives up waiting; None if nobody does."""
        moments = [each.gives_up for each in self._all_waits() if each.gives_up is not None]
        return min((moment for moment in moments if moment > self._elapsed), default=None)

    def on_move(self, wake: Callable[[], object], until: float | None = None) -> Callable[[], None]:
        """Call `wake` whenever the clock has moved. Returns a function that ends this.

        `until` is the moment at which the caller gives up waiting, if there is one.
        """
        return self._note(ClockWait(wake, lambda: until, gives_up=until))

    def on_wait(
        self,
        wake: Callable[[], object],
        due: Callable[[], float | None],
        is_over: Callable[[], bool],
    ) -> Callable[[], None]:
        """The same for a thread or task that waits, until `due` or until something else ends it."""
        return self._note(ClockWait(wake, due, is_over))

    def stir(self) -> None:
        """Note that somebody does something."""
        self._stirs += 1

    def _note(self, wait: ClockWait) -> Callable[[], None]:
        key = object()
        with self._lock:
            self._stirs += 1
            self._waits[key] = wait
            if wait.acts:
                self._way.parties.add(wait.party)

        def forget() -> None:
            with self._lock:
                self._stirs += 1
                self._waits.pop(key, None)

        return forget


class Step:
    """A step of a clock, which may be under way. Await it to let tasks do their work on the way.

    It is false, so that `lambda: clock.step(1) or is_over()` says whether it is over.
    """

    def __init__(self, clock: FakeClock, end: _End) -> None:
        self._clock = clock
        self._end = end

    def __bool__(self) -> bool:
        return False

    def __await__(self) -> Generator[Any, None, None]:
        return self._clock.acted(self._end).__await__()


class _End:
    """The end of a step.

    Args:
        moment: the time of the clock there.
        day: the time of day there.
    """

    def __init__(self, moment: float, day: datetime) -> None:
        self.moment = moment
        self.day = day
        self.is_reached = False
        self.have_acted = False
        """Whether all who were woken there have done their work."""
        self._waiting: set[asyncio.Future[None]] = set()

    async def passed(self) -> None:
        """Wait until the clock was here."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            if not self.is_reached:
                await waiter
        finally:
            self._waiting.discard(waiter)

    def reach(self, *, have_acted: bool) -> bool:
        """Note that the clock is here; tells whether somebody has waited for that."""
        self.is_reached, self.have_acted = True, have_acted
        waiting = tuple(self._waiting)
        for waiter in waiting:
            if not waiter.get_loop().is_closed():
                waiter.get_loop().call_soon_threadsafe(_settle, waiter)
        return bool(waiting)


class _Pace:
    """Sees to it that no second of a way has stops without end."""

    def __init__(self) -> None:
        self._left = _MOST_STOPS
        self._end_of_second = -inf

    def moment_of(self, stop: float) -> float:
        """Return the moment to go to: the next stop, or the end of a second with too many."""
        if stop >= self._end_of_second:
            self._left = _MOST_STOPS if self._left > 0 else _FEW_STOPS
            self._end_of_second = stop + 1.0
        if self._left <= 0:
            return self._end_of_second
        self._left -= 1
        return stop


class _Way:
    """The way from one moment to another, which a clock makes with stops."""

    def __init__(self) -> None:
        self.target = 0.0
        self.of_day = timedelta()
        """What is still to come of the time of day."""
        self.is_under_way = False
        self.driver: Party = threading.current_thread()
        """Who makes it."""
        self.pace = _Pace()
        self.parties: set[Party] = set()
        """Who has waited by the clock, as far as they may do so again."""
        self.is_restless = False
        """Whether they did not come to rest at the last moment."""
        self._ends: list[_End] = []
        """Of the steps that are under way."""
        self._task: asyncio.Task[Any] | None = None
        self._own_end: _End | None = None

    def add(self, end: _End) -> _End:
        """Go as far as that."""
        self._ends.append(end)
        if self._is_mine():
            self._own_end = end
        return end

    def begin(self) -> None:
        """Be made by who calls this."""
        self.is_under_way = True
        self.driver = running_loop() or threading.current_thread()
        self.parties = {each for each in self.parties if is_alive(each)}
        self._task = self._own_end = None

    def hand_over(self) -> None:
        """Go on later, beside the task that wants it: for that one, it is made already."""
        self._task = asyncio.current_task()
        self._own_end = self._ends[-1] if self._ends else None

    def note_end(self, rest: Rest) -> None:
        """Go on without those who have not come to rest."""
        self.parties -= rest.busy_threads()  # they wait for something else
        self.is_restless = rest.is_restless()

    def ends(self) -> list[float]:
        """Return the moments at which steps that are under way end."""
        return [each.moment for each in tuple(self._ends)]

    def let_go(self, moment: float) -> bool:
        """End the steps that go no further than this moment, when all have acted.

        Returns whether somebody goes on therefore.
        """
        over = [each for each in tuple(self._ends) if each.moment <= moment]
        is_awaited = False
        for each in over:
            self._ends.remove(each)
            is_awaited |= each.reach(have_acted=True)
        return is_awaited

    def end(self) -> None:
        """Be there."""
        ends, self._ends = self._ends, []
        for each in ends:
            each.reach(have_acted=False)
        self.of_day, self.is_under_way = timedelta(), False
        self._task = self._own_end = None

    def own_end(self) -> _End | None:
        """Return the end of the step of the task that calls this, if it has begun this way."""
        end = self._own_end
        return end if end is not None and not end.is_reached and self._is_mine() else None

    def _is_mine(self) -> bool:
        return (
            self._task is not None
            and running_loop() is not None
            and (asyncio.current_task() is self._task)
        )


def _settle(end: asyncio.Future[None]) -> None:
    if not end.done():
        end.set_result(None)


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write datetime(..., tzinfo=UTC)")
    return moment.astimezone(UTC)

"""Waiting primitives for asyncio: locks, events, tasks and timers.

The twin in `_sync` has the same names, made of threads. asyncio itself is imported when somebody
waits: importing a generated package must stay cheap.
"""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, cast

from .._clock import on_wait, real_seconds
from .._models.arguments import check_function

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from .._clock import Clock

__all__ = [
    "Condition",
    "Event",
    "Interruption",
    "Lock",
    "ReadByFor",
    "Task",
    "awaited",
    "call",
    "call_later",
    "check_spawn",
    "check_waiting",
    "from_clock",
    "from_outside",
    "holding",
    "result_of",
    "run_blocking",
    "short_lock",
    "sleep",
    "spawn",
    "uncancelled",
    "wait_moving",
    "wait_until",
]

T = TypeVar("T")
P = ParamSpec("P")

if TYPE_CHECKING:
    Function: TypeAlias = Callable[P, Awaitable[T]]
    """A function that may wait: a coroutine function."""

    Callback: TypeAlias = Callable[P, Awaitable[T] | T]
    """A function of the program's: an ordinary one, or a coroutine function."""


class ReadByFor:
    """The base of what `async for` reads. A plain `for` says so; in the twin, it is what reads."""

    if not TYPE_CHECKING:  # to checkers, a plain `for` is a mistake

        def __iter__(self) -> object:
            raise TypeError(f"{type(self).__name__!r} object is read by `async for`, not by `for`")


async def sleep(seconds: float) -> None:
    """Let others run for so long."""
    import asyncio

    await asyncio.sleep(seconds)


async def run_blocking(function: Callable[[], T]) -> T:
    """Call something that blocks, in a worker thread."""
    import asyncio

    return await asyncio.to_thread(function)


async def holding(lock: Lock, work: Callable[[], Awaitable[T]], deadline: float | None) -> T:
    """Do something while a lock is held, and wait no longer than until a deadline.

    Raises:
        TimeoutError: it was not done in time.
    """
    import asyncio

    left = None if deadline is None else max(0.0, deadline - monotonic())
    async with asyncio.timeout(left), lock:
        return await work()


def check_waiting(what: str, function: object) -> None:
    """See to it that a function can be called, and may wait.

    Raises:
        TypeError: it cannot be called. Whether it may wait is known by its results: `awaited`.
    """
    check_function(what, function)


def awaited(what: str, work: Awaitable[T]) -> Awaitable[T]:
    """Return what a coroutine function of the program's has returned, which is to be awaited.

    Raises:
        TypeError: the function was an ordinary one.
    """
    if not isinstance(cast("object", work), Awaitable):
        raise TypeError(
            f"{what} must be a coroutine function here: write `async def`. Programs with ordinary"
            " functions use clientgen.runtime.sync and a clientset without Async"
        )
    return work


async def call(function: Callable[..., object], *args: object) -> None:
    """Call a function of the program's, which may be a coroutine function."""
    result = function(*args)
    if result is not None and isinstance(result, Awaitable):
        await uncancelled(cast("Awaitable[object]", result))


async def result_of(
    function: Callable[P, Awaitable[T] | T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function of the program's, which may be a coroutine function; gives its result."""
    result = function(*args, **kwargs)
    if isinstance(result, Awaitable):
        return await uncancelled(cast("Awaitable[T]", result))
    return result


async def uncancelled(work: Awaitable[T]) -> T:
    """Wait for the work of the program's, whose cancellation is not that of this task.

    Raises:
        RuntimeError: something that the work waited for was cancelled, and nobody wants this task
            to end.
    """
    import asyncio

    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError("a task that this one waited for was cancelled") from error


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call something after so many seconds; gives what cancels that."""
    import asyncio

    return asyncio.get_running_loop().call_later(seconds, function).cancel


def from_outside(function: Callable[[], object]) -> Callable[[], object]:
    """Give what a signal handler, or another thread, may call to have the loop call a function."""
    import asyncio

    loop = asyncio.get_running_loop()

    def call() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(function)

    return call


def from_clock(function: Callable[[], object]) -> Callable[[], object]:
    """Give what a clock may call when it moves, in any thread, to have a function called."""
    return from_outside(function)


def short_lock() -> AbstractContextManager[object]:
    """A lock for a few statements without a wait; on one event loop none is needed."""
    return nullcontext()


class Lock:
    """Only one task at a time."""

    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None

    async def __aenter__(self) -> None:
        if self._lock is None:
            import asyncio

            self._lock = asyncio.Lock()
        await self._lock.acquire()

    async def enter_if_free(self) -> bool:
        """Enter unless somebody is in, without a wait; gives whether this entered."""
        if self._lock is not None and self._lock.locked():
            return False
        await self.__aenter__()
        return True

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._lock is not None
        self._lock.release()


class Event:
    """Something that happens once; tasks wait for it."""

    def __init__(self) -> None:
        self._happened = False
        self._waiters: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """Make it happen."""
        self._happened = True
        self.wake()

    def clear(self) -> None:
        """Make it something that has not happened yet."""
        self._happened = False

    def wake(self) -> None:
        """Have those who wait look again, without its happening."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def is_set(self) -> bool:
        """Tell whether it has happened."""
        return self._happened

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait for it, but no longer than so many seconds; gives whether it has happened."""
        import asyncio

        if not self._happened:
            waiter = self._waiter()
            try:
                await asyncio.wait({waiter}, timeout=seconds)
            finally:
                self._waiters.discard(waiter)
        return self._happened

    async def unless(self, work: Coroutine[object, object, T]) -> T | None:
        """Do some work, but abandon it when the event happens; gives None then."""
        import asyncio

        task = asyncio.ensure_future(work)
        try:
            while not task.done() and not self._happened:
                await self._until_either(task)
            return await task if task.done() else None
        except asyncio.CancelledError:
            _abort_result(task)
            raise
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _until_either(self, task: asyncio.Future[Any]) -> None:
        """Wait for some work or for the event; those who are woken look again."""
        import asyncio

        waiter = self._waiter()
        try:
            await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiters.discard(waiter)
            waiter.cancel()

    def _waiter(self) -> asyncio.Future[None]:
        import asyncio

        waiter = asyncio.get_running_loop().create_future()
        if self._happened:
            waiter.set_result(None)
        self._waiters.add(waiter)
        return waiter


def _abort_result(task: asyncio.Future[Any]) -> None:
    """Let go of a stream that was opened for somebody who was cancelled meanwhile."""
    if task.done() and not task.cancelled() and task.exception() is None:
        abort = getattr(task.result(), "abort", None)
        if abort is not None:
            abort()


async def wait_until(event: Event, clock: Clock, until: float | None) -> bool:
    """Wait for an event, but not past a moment of a clock; gives whether it has happened."""
    import asyncio

    loop = asyncio.get_running_loop()

    def wake() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(event.wake)

    forget = on_wait(clock, wake, lambda: until, event.is_set)
    try:
        while not event.is_set() and (until is None or clock.monotonic() < until):
            await event.wait(None if until is None else real_seconds(clock, until))
    finally:
        forget()
    return event.is_set()


async def wait_moving(event: Event, clock: Clock, until: Callable[[], float]) -> bool:
    """The same, with a moment that may change: who changes it wakes the event."""
    import asyncio

    loop = asyncio.get_running_loop()

    def wake() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(event.wake)

    forget = on_wait(clock, wake, until, event.is_set)
    try:
        while not event.is_set() and clock.monotonic() < (moment := until()):
            await event.wait(real_seconds(clock, moment))
    finally:
        forget()
    return event.is_set()


class Condition:
    """A condition variable that also waits for a moment of a clock.

    What is looked at and changed inside `async with` changes for one task at a time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._changed = Event()

    async def __aenter__(self) -> None:
        await self._lock.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._lock.__aexit__(kind, error, traceback)

    async def wait(self, until: float | None = None) -> None:
        """Let others in until one notifies, but not past a moment of the clock."""
        changed = self._changed
        await self._lock.__aexit__(None, None, None)
        try:
            await wait_until(changed, self._clock, until)
        finally:
            await self._lock.__aenter__()

    def notify(self) -> None:
        """Wake all who wait; from any task of the loop."""
        changed, self._changed = self._changed, Event()
        changed.set()


class Task:
    """Something that goes on beside who spawned it."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._task.done()

    @property
    def is_current(self) -> bool:
        """Whether it is the one that asks, which cannot wait for its own end."""
        import asyncio

        return asyncio.current_task() is self._task

    async def join(self, seconds: float | None = None) -> bool:
        """Wait for its end, but no longer than so many seconds; gives whether it has ended."""
        import asyncio

        await asyncio.wait({self._task}, timeout=seconds)
        return self._task.done()

    def cancel(self) -> None:
        """Have it end at its next wait. A thread cannot be made to: tell it by an event."""
        self._task.cancel()


class Interruption:
    """Lets others end what the task that makes it is at, as `asyncio.timeout` does."""

    def __init__(self) -> None:
        import asyncio

        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._fired = False

    def fire(self) -> None:
        """Cancel the task at its next wait. A thread is not: it looks by itself."""
        if not self._fired:
            self._fired = True
            self._task.cancel()

    async def caused(self, error: BaseException | None) -> bool:
        """Tell whether what ended the work is this, and not another's wish to cancel the task."""
        import asyncio

        if not self._fired:
            return False
        if error is None:  # the work has ended by itself, and the next wait would be cancelled
            error = await _pending_cancellation()
        if self._task.uncancel() > self._cancelling:
            raise error or asyncio.CancelledError
        return isinstance(error, asyncio.CancelledError)


async def _pending_cancellation() -> BaseException | None:
    import asyncio

    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        return error
    return None


def check_spawn() -> None:
    """Make sure that `spawn` works here.

    Raises:
        RuntimeError: no event loop is running.
    """
    import asyncio

    asyncio.get_running_loop()


def spawn(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> Task:
    """Have some work go on beside this. Who spawns it joins it; what it raises is lost."""
    import asyncio

    return Task(asyncio.get_running_loop().create_task(work(), name=name))

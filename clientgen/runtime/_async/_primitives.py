"""Locks, events, tasks and timers for asyncio.

`_sync/_primitives.py` has the same names for threads. Functions import asyncio when they are
called, because importing a generated package must stay cheap.
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
    from concurrent.futures import Future
    from contextvars import Context
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
    "can_cancel",
    "check_callback",
    "check_spawn",
    "finished",
    "from_any_thread",
    "from_clock",
    "result_of",
    "run_blocking",
    "run_with_lock",
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
    """A coroutine function; in `_sync`, an ordinary function."""

    Callback: TypeAlias = Callable[P, Awaitable[T] | T]
    """A user's function: a coroutine function or an ordinary function."""


class ReadByFor:
    """Base class of asynchronous iterators. A plain `for` raises an error that explains itself."""

    if not TYPE_CHECKING:  # type checkers must reject a plain `for`

        def __iter__(self) -> object:
            raise TypeError(f"{type(self).__name__!r} object is read by `async for`, not by `for`")


async def sleep(seconds: float) -> None:
    """Suspend the calling task for this many real seconds."""
    import asyncio

    await asyncio.sleep(seconds)


async def run_blocking(function: Callable[[], T]) -> T:
    """Call a blocking function in a worker thread, and return its result."""
    import asyncio

    return await asyncio.to_thread(function)


async def finished(work: Future[None]) -> None:
    """Wait for the end of work that another task or thread does."""
    import asyncio

    # The work goes on if this wait is cancelled.
    await asyncio.shield(asyncio.wrap_future(work))


async def run_with_lock(lock: Lock, work: Callable[[], Awaitable[T]], deadline: float | None) -> T:
    """Acquire a lock, await `work()`, and release the lock.

    Args:
        lock: The lock.
        work: The coroutine function to call with the lock held. The call is cancelled at the
            deadline.
        deadline: The monotonic time at which waiting for the lock, or the call, ends with an error.

    Raises:
        TimeoutError: the deadline passed first.
    """
    import asyncio

    left = None if deadline is None else max(0.0, deadline - monotonic())
    async with asyncio.timeout(left), lock:
        return await work()


def check_callback(what: str, function: object) -> None:
    """Check that a user's function is callable. `awaited` checks that its result is awaitable.

    Raises:
        TypeError: the value is not callable.
    """
    check_function(what, function)


def awaited(what: str, work: Awaitable[T]) -> Awaitable[T]:
    """Check that a user's function returned an awaitable, and return it.

    Raises:
        TypeError: the function is not a coroutine function.
    """
    if not isinstance(cast("object", work), Awaitable):
        raise TypeError(
            f"{what} must be a coroutine function here: write `async def`. Programs with ordinary"
            " functions use clientgen.runtime.sync and a clientset without Async"
        )
    return work


async def call(function: Callable[..., object], *args: object) -> None:
    """Call a user's function; await its result if it is awaitable."""
    result = function(*args)
    if result is not None and isinstance(result, Awaitable):
        await uncancelled(cast("Awaitable[object]", result))


async def result_of(
    function: Callable[P, Awaitable[T] | T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a user's function, await its result if it is awaitable, and return the result."""
    result = function(*args, **kwargs)
    if isinstance(result, Awaitable):
        return await uncancelled(cast("Awaitable[T]", result))
    return result


async def uncancelled(work: Awaitable[T]) -> T:
    """Await the result of a user's function.

    If the function cancels itself, the calling task continues.

    Raises:
        CancelledError: the calling task was cancelled.
        RuntimeError: the function awaited another task, and that task was cancelled.
    """
    import asyncio

    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError("a task that this task waited for was cancelled") from error


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call a function after this many real seconds. Returns a function that cancels the call."""
    import asyncio

    return asyncio.get_running_loop().call_later(seconds, function).cancel


def from_any_thread(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that signal handlers and threads may call to run `function` in the loop."""
    import asyncio

    loop = asyncio.get_running_loop()

    def call() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(function)

    return call


def from_clock(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that a clock may call from any thread when its time has moved."""
    return from_any_thread(function)


def short_lock() -> AbstractContextManager[object]:
    """Return a lock for statements that do not wait. With one event loop, the lock does nothing."""
    return nullcontext()


class Lock:
    """A mutual exclusion lock."""

    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None

    async def __aenter__(self) -> None:
        if self._lock is None:
            import asyncio

            self._lock = asyncio.Lock()
        await self._lock.acquire()

    async def enter_if_free(self) -> bool:
        """Acquire the lock if it is free. Returns whether the lock was acquired. Never waits."""
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
    """A flag that tasks wait for, like `asyncio.Event`, with timeouts and clocks."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiters: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """Set the flag and wake all waiters."""
        self._is_set = True
        self.wake()

    def clear(self) -> None:
        """Reset the flag."""
        self._is_set = False

    def wake(self) -> None:
        """Wake all waiters without setting the flag: they check their conditions again."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._is_set

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait until the flag is set, at most this many real seconds. Returns whether it is set."""
        import asyncio

        if not self._is_set:
            waiter = self._waiter()
            try:
                await asyncio.wait({waiter}, timeout=seconds)
            finally:
                self._waiters.discard(waiter)
        return self._is_set

    async def run_unless_set(self, work: Coroutine[object, object, T]) -> T | None:
        """Await a coroutine; if the flag is set first, cancel the coroutine and return None."""
        import asyncio

        task = asyncio.ensure_future(work)
        try:
            while not task.done() and not self._is_set:
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
        """Wait until the task is done, the flag is set, or `wake` was called."""
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
        if self._is_set:
            waiter.set_result(None)
        self._waiters.add(waiter)
        return waiter


def _abort_result(task: asyncio.Future[Any]) -> None:
    """Close a stream that a task returned at the moment when its caller was cancelled."""
    if task.done() and not task.cancelled() and task.exception() is None:
        abort = getattr(task.result(), "abort", None)
        if abort is not None:
            abort()


async def wait_until(event: Event, clock: Clock, until: float | None) -> bool:
    """Wait for an event until a time of a clock; None for no limit. Returns whether it is set."""
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
    """Wait like `wait_until`, for a time that may change. Call `event.wake` after changing it."""
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
    """A condition variable whose waits can end at a time of a clock.

    Inside of `async with`, no other task reads or changes what the condition protects.
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
        """Release the lock, wait for `notify` or until a time of the clock, and reacquire it."""
        changed = self._changed
        await self._lock.__aexit__(None, None, None)
        try:
            await wait_until(changed, self._clock, until)
        finally:
            await self._lock.__aenter__()

    def notify(self) -> None:
        """Wake all waiters. Any task of the loop may call this."""
        changed, self._changed = self._changed, Event()
        changed.set()


class Task:
    """A background task."""

    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    @property
    def done(self) -> bool:
        """Whether the task has ended."""
        return self._task.done()

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this task: then it must not join the task."""
        import asyncio

        return asyncio.current_task() is self._task

    async def join(self, seconds: float | None = None) -> bool:
        """Wait for the task's end, at most this many real seconds. Returns whether it has ended."""
        import asyncio

        await asyncio.wait({self._task}, timeout=seconds)
        return self._task.done()

    def cancel(self) -> None:
        """Cancel the task at its next wait. In `_sync`, this does nothing: set an event, too."""
        self._task.cancel()


def can_cancel() -> bool:
    """Return whether work can be cancelled: tasks can, threads cannot."""
    return True


class Interruption:
    """Lets callbacks interrupt the task that created it, as `asyncio.timeout` does."""

    def __init__(self) -> None:
        import asyncio

        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._fired = False

    def fire(self) -> None:
        """Cancel the task at its next wait.

        In `_sync`, this does nothing: the thread must check.
        """
        if not self._fired:
            self._fired = True
            self._task.cancel()

    async def caused(self, error: BaseException | None) -> bool:
        """Return whether this interruption ended the work, rather than another cancellation.

        Raises:
            CancelledError: the task was cancelled for another reason, too.
        """
        import asyncio

        if not self._fired:
            self._fired = True  # a call of `fire` that is under way must not cancel later work
            return False
        if error is None:  # the work ended before the cancellation arrived: receive it here
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
    """Check that `spawn` can be called here.

    Raises:
        RuntimeError: no event loop is running.
    """
    import asyncio

    asyncio.get_running_loop()


def spawn(
    work: Callable[[], Coroutine[Any, Any, None]], name: str, context: Context | None = None
) -> Task:
    """Start a background task. The caller must join it; its exceptions are lost.

    The task runs in `context`, or else in a copy of the caller's context.
    """
    import asyncio

    return Task(asyncio.get_running_loop().create_task(work(), name=name, context=context))

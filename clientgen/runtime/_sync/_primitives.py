"""Locks, events, tasks and timers for threads. `_async/_primitives.py` has the same names."""

# The classes here use each other's private attributes.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
import time
from _thread import start_new_thread
from collections.abc import Coroutine
from contextvars import Context, copy_context
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

from .._clock import on_wait, real_seconds
from .._models.arguments import check_function

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from contextlib import AbstractContextManager
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
    Function: TypeAlias = Callable[P, T]
    """An ordinary function; in `_async`, a coroutine function."""

    Callback: TypeAlias = Callable[P, T]
    """A user's function."""


class ReadByFor:
    """Base class of iterators; in `_async`, it makes a plain `for` raise."""


def sleep(seconds: float) -> None:
    """Suspend the calling thread for this many real seconds."""
    time.sleep(seconds)


def run_blocking(function: Callable[[], T]) -> T:
    """Call a blocking function in the calling thread, and return its result."""
    return function()


def finished(work: Future[None]) -> None:
    """Wait for the end of work that another thread does."""
    work.result()


def run_with_lock(lock: Lock, work: Callable[[], T], deadline: float | None) -> T:
    """Acquire a lock, call `work`, and release the lock.

    With a deadline, `work` runs in a new thread. After the deadline, it continues there, and that
    thread releases the lock.

    Args:
        lock: The lock.
        work: The function to call with the lock held.
        deadline: The monotonic time at which waiting for the lock, or the call, ends with an error.

    Raises:
        TimeoutError: the deadline passed first.
        RuntimeError: no thread can be started.
    """
    from .._net.timed_work import done_within  # imported late: few calls need it

    if deadline is None:
        with lock:
            return work()
    if not lock._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
        raise TimeoutError("the deadline has passed")
    has_started = False

    def work_and_release() -> T:
        nonlocal has_started
        has_started = True
        try:
            return work()
        finally:
            lock._lock.release()

    remaining = max(0.0, deadline - time.monotonic())
    try:
        return done_within(remaining, work_and_release, name="clientgen-credentials")
    except RuntimeError:
        if not has_started:  # no thread could be started
            lock._lock.release()
        raise


def check_callback(what: str, function: object) -> None:
    """Check that a user's function is callable and not a coroutine function.

    Raises:
        TypeError: the value is not callable, or is a coroutine function.
    """
    check_function(what, function)
    if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        raise _coroutine_error(what)


def awaited(what: str, result: T) -> T:
    """Check that a user's function did not return a coroutine, and return its result.

    Raises:
        TypeError: the function is a coroutine function.
    """
    if isinstance(result, Coroutine):
        result.close()
        raise _coroutine_error(what)
    return result


def _coroutine_error(what: str) -> TypeError:
    return TypeError(
        f"{what} must be an ordinary function here: write `def`. Programs with coroutine functions"
        " use clientgen.runtime.aio and an AsyncClientset"
    )


def call(function: Callable[..., object], *args: object) -> None:
    """Call a user's function. Raises the errors of `result_of`."""
    result_of(function, *args)


def result_of(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a user's function and return its result.

    Raises:
        TypeError: the function is a coroutine function, which a thread cannot await.
        RuntimeError: the function raised SystemExit, which would silently end only this thread.
    """
    try:
        result = function(*args, **kwargs)
    except SystemExit as error:
        raise RuntimeError("a thread cannot exit the program: stop the main thread") from error
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError(f"{function!r} is a coroutine function: threads call ordinary functions")
    return result


def uncancelled(work: T) -> T:
    """Return the argument: the thread has finished the work before this call."""
    return work


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call a function after this many real seconds, in a thread of its own.

    Returns a function that cancels the call.
    """
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer.cancel


def from_any_thread(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that signal handlers and threads may call to run `function` in a thread.

    A signal handler interrupts a thread anywhere. The interrupted thread may hold a lock that
    `function` needs, or be about to wait for an event that `function` sets.
    """
    return lambda: start_new_thread(function, ())


def from_clock(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that a clock may call when its time has moved.

    The clock calls it before it moves again, in a thread that holds no lock of the runtime.
    """
    return function


def short_lock() -> AbstractContextManager[object]:
    """Return a lock for statements that do not wait."""
    return threading.RLock()  # reentrant, because callbacks may acquire it again


class Lock:
    """A mutual exclusion lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def enter_if_free(self) -> bool:
        """Acquire the lock if it is free. Returns whether the lock was acquired. Never waits."""
        return self._lock.acquire(blocking=False)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()


class Event:
    """A flag that threads wait for, like `threading.Event`, with clocks."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._is_set = False

    def set(self) -> None:
        """Set the flag and wake all waiters."""
        with self._condition:
            self._is_set = True
            self._condition.notify_all()

    def clear(self) -> None:
        """Reset the flag."""
        self._is_set = False

    def wake(self) -> None:
        """Wake all waiters without setting the flag: they check their conditions again."""
        with self._condition:
            self._condition.notify_all()

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._is_set

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the flag is set, at most this many real seconds. Returns whether it is set."""
        with self._condition:
            return self._condition.wait_for(self.is_set, seconds)

    def _wait_moving(self, clock: Clock, until: Callable[[], float]) -> None:
        """Wait until a time that may change. `wake` makes this thread read the time again."""
        with self._condition:
            while not self._is_set and clock.monotonic() < (moment := until()):
                self._condition.wait(real_seconds(clock, moment))

    def _wait_by(self, clock: Clock, until: float | None) -> None:
        """Wait until a time of a clock, which calls `wake` when it moves; None for no limit."""
        with self._condition:
            while not self._is_set and (until is None or clock.monotonic() < until):
                self._condition.wait(None if until is None else real_seconds(clock, until))

    def run_unless_set(self, work: T) -> T | None:
        """Return the argument: the thread has finished the work before this call."""
        return work


def wait_until(event: Event, clock: Clock, until: float | None) -> bool:
    """Wait for an event until a time of a clock; None for no limit. Returns whether it is set."""
    forget = on_wait(clock, event.wake, lambda: until, event.is_set)
    try:
        event._wait_by(clock, until)
    finally:
        forget()
    return event.is_set()


def wait_moving(event: Event, clock: Clock, until: Callable[[], float]) -> bool:
    """Wait like `wait_until`, for a time that may change. Call `event.wake` after changing it."""
    forget = on_wait(clock, event.wake, until, event.is_set)
    try:
        event._wait_moving(clock, until)
    finally:
        forget()
    return event.is_set()


class Condition:
    """A condition variable whose waits can end at a time of a clock.

    Inside of `with`, no other thread reads or changes what the condition protects.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._changed = Event()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()

    def wait(self, until: float | None = None) -> None:
        """Release the lock, wait for `notify` or until a time of the clock, and reacquire it."""
        changed = self._changed
        self._lock.release()
        try:
            wait_until(changed, self._clock, until)
        finally:
            self._lock.acquire()

    def notify(self) -> None:
        """Wake all waiters. Any thread may call this."""
        changed, self._changed = self._changed, Event()
        changed.set()


class Task:
    """A background thread."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread

    @property
    def done(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this thread: then it must not join the thread."""
        return threading.current_thread() is self._thread

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the thread's end, at most this many seconds. Returns whether it has ended."""
        self._thread.join(seconds)
        return self.done

    def cancel(self) -> None:
        """Do nothing: a thread cannot be cancelled. Set an event that it checks."""


def can_cancel() -> bool:
    """Return whether work can be cancelled: tasks can, threads cannot."""
    return False


class Interruption:
    """Interrupts a task in `_async`; a thread cannot be interrupted."""

    def fire(self) -> None:
        """Do nothing: the thread has to check whether it must end."""

    def caused(self, error: BaseException | None) -> bool:  # noqa: ARG002 - as in `_async`
        """Return False: a thread is never interrupted."""
        return False


def check_spawn() -> None:
    """Do nothing: threads can be started anywhere."""


def spawn(work: Callable[[], None], name: str, context: Context | None = None) -> Task:
    """Start a background thread. The caller must join it; its exceptions are printed.

    The thread runs in `context`, or else in a copy of the caller's context.
    """
    if context is None:
        context = copy_context()  # tasks of asyncio do the same
    thread = threading.Thread(target=context.run, args=(work,), name=name, daemon=True)
    thread.start()
    return Task(thread)

"""Waiting primitives for threads; the counterpart of the module in `_async`."""

# The pieces here are friends.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
import time
from _thread import start_new_thread
from collections.abc import Coroutine
from contextvars import copy_context
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

from .._clock import on_wait, real_seconds
from .._models.arguments import check_function

if TYPE_CHECKING:
    from collections.abc import Callable
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
    Function: TypeAlias = Callable[P, T]
    """A function that may wait: any."""

    Callback: TypeAlias = Callable[P, T]
    """A function of the program's: any."""


class ReadByFor:
    """The base of what `for` reads."""


def sleep(seconds: float) -> None:
    """Let others run for so long."""
    time.sleep(seconds)


def run_blocking(function: Callable[[], T]) -> T:
    """Call something that blocks; here that is what everything does."""
    return function()


def holding(lock: Lock, work: Callable[[], T], deadline: float | None) -> T:
    """Do something while a lock is held, and wait no longer than until a deadline.

    What takes longer goes on in a thread of its own, which gives the lock back.

    Raises:
        TimeoutError: it was not done in time.
    """
    from .._net.timed_work import done_within  # only those who wait for credentials need it

    if deadline is None:
        with lock:
            return work()
    if not lock._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
        raise TimeoutError("the deadline has passed")

    def work_and_release() -> T:
        try:
            return work()
        finally:
            lock._lock.release()

    remaining = max(0.0, deadline - time.monotonic())
    return done_within(remaining, work_and_release, name="clientgen-credentials")


def check_waiting(what: str, function: object) -> None:
    """See to it that a function can be called by a thread.

    Raises:
        TypeError: it cannot be called, or is a coroutine function.
    """
    check_function(what, function)
    if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        raise _coroutine_error(what)


def awaited(what: str, result: T) -> T:
    """Return what a function of the program's has returned.

    Raises:
        TypeError: the function was a coroutine function.
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
    """Call a function of the program's; raises what `result_of` does."""
    result_of(function, *args)


def result_of(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of the program's; gives its result.

    Raises:
        TypeError: it is a coroutine function, which nobody would wait for here.
        RuntimeError: it raised SystemExit, which ends but a thread, and that without a word.
    """
    try:
        result = function(*args, **kwargs)
    except SystemExit as error:
        raise RuntimeError("a thread cannot exit the program: tell the main thread") from error
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError(f"{function!r} is a coroutine function: threads call plain ones")
    return result


def uncancelled(work: T) -> T:
    """The result of some work, which in a thread was done by the time this is called."""
    return work


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call something after so many seconds, in another thread; gives what cancels that."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer.cancel


def from_outside(function: Callable[[], object]) -> Callable[[], object]:
    """Give what a signal handler may call to have a function called.

    The handler interrupts a thread anywhere, so another thread does it: the interrupted one may
    hold a lock that the function needs, or be about to wait for what it sets.
    """
    return lambda: start_new_thread(function, ())


def from_clock(function: Callable[[], object]) -> Callable[[], object]:
    """Give what a clock may call when it moves to have a function called.

    That is done before it moves on. Who moves a clock holds no lock that the function needs.
    """
    return function


def short_lock() -> AbstractContextManager[object]:
    """A lock for a few statements without a wait."""
    return threading.RLock()  # what is called inside may come here again


class Lock:
    """Only one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def enter_if_free(self) -> bool:
        """Enter unless somebody is in, without a wait; gives whether this entered."""
        return self._lock.acquire(blocking=False)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()


class Event:
    """Something that happens once; threads wait for it."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._happened = False

    def set(self) -> None:
        """Make it happen."""
        with self._condition:
            self._happened = True
            self._condition.notify_all()

    def clear(self) -> None:
        """Make it something that has not happened yet."""
        self._happened = False

    def wake(self) -> None:
        """Have those who wait look again, without its happening."""
        with self._condition:
            self._condition.notify_all()

    def is_set(self) -> bool:
        """Whether it has happened."""
        return self._happened

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for it, but no longer than so many seconds; gives whether it has happened."""
        with self._condition:
            return self._condition.wait_for(self.is_set, seconds)

    def _wait_moving(self, clock: Clock, until: Callable[[], float]) -> None:
        """The same with a moment that may change."""
        with self._condition:
            while not self._happened and clock.monotonic() < (moment := until()):
                self._condition.wait(real_seconds(clock, moment))

    def _wait_by(self, clock: Clock, until: float | None) -> None:
        """Wait for it, but not past a moment of a clock whose moves call `wake`."""
        with self._condition:
            while not self._happened and (until is None or clock.monotonic() < until):
                self._condition.wait(None if until is None else real_seconds(clock, until))

    def unless(self, work: T) -> T | None:
        """The result of some work, which in a thread was done by the time this is called."""
        return work


def wait_until(event: Event, clock: Clock, until: float | None) -> bool:
    """Wait for an event, but not past a moment of a clock; gives whether it has happened."""
    forget = on_wait(clock, event.wake, lambda: until, event.is_set)
    try:
        event._wait_by(clock, until)
    finally:
        forget()
    return event.is_set()


def wait_moving(event: Event, clock: Clock, until: Callable[[], float]) -> bool:
    """The same, with a moment that may change: who changes it wakes the event."""
    forget = on_wait(clock, event.wake, until, event.is_set)
    try:
        event._wait_moving(clock, until)
    finally:
        forget()
    return event.is_set()


class Condition:
    """Where threads wait for something to change, or for a moment of a clock.

    What is looked at and changed inside `with` changes for one thread at a time.
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
        """Let others in until one notifies, but not past a moment of the clock."""
        changed = self._changed
        self._lock.release()
        try:
            wait_until(changed, self._clock, until)
        finally:
            self._lock.acquire()

    def notify(self) -> None:
        """Wake all who wait; from any thread."""
        changed, self._changed = self._changed, Event()
        changed.set()


class Task:
    """Something that goes on beside who spawned it."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Whether it is the one that asks, which cannot wait for its own end."""
        return threading.current_thread() is self._thread

    def join(self, seconds: float | None = None) -> bool:
        """Wait for its end, but no longer than so many seconds; gives whether it has ended."""
        self._thread.join(seconds)
        return self.done

    def cancel(self) -> None:
        """Have a task end at its next wait. A thread cannot be made to: tell it by an event."""


class Interruption:
    """Lets others end what a task is at; what a thread is at nobody can."""

    def fire(self) -> None:
        """Cancel the task at its next wait. A thread is not: it looks by itself."""

    def caused(self, error: BaseException | None) -> bool:  # noqa: ARG002 - the twin's
        """Whether what ended the work is this."""
        return False


def check_spawn() -> None:
    """Make sure that `spawn` works here: everywhere it does."""


def spawn(work: Callable[[], None], name: str) -> Task:
    """Have some work go on beside this. Who spawns it joins it; what it raises is shown."""
    context = copy_context()  # as tasks have it
    thread = threading.Thread(target=context.run, args=(work,), name=name, daemon=True)
    thread.start()
    return Task(thread)

"""An event loop with virtual time that can kill or pause some of its tasks.

The loop opens no sockets and never sleeps: when no callback is ready, its clock moves to the next
timer. Callbacks run in the order of their scheduling, as asyncio promises, so that all runs of a
program are equal. A task belongs to the `Process` of the context that created it.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
import traceback
import weakref
from asyncio import events
from collections import deque
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable

T = TypeVar("T")

_MAX_CALLBACKS: Final = 400_000
_MAX_FINAL_CALLBACKS: Final = 20_000
_MAX_FINAL_SECONDS: Final = 60.0


class TooBusy(Exception):  # noqa: N818 - internal
    """The loop has run too many callbacks: its tasks will never be idle."""


class Process:
    """A group of tasks that can be killed or paused, as an operating system's process.

    Attributes:
        name: the name in reports.
        number: the number of processes before it in the run; determines its clock and hashes.
        is_stopped: whether its callbacks are parked instead of run.
        context: the context of its first task.
    """

    def __init__(self, name: str, number: int = 0) -> None:
        self.name = name
        self.number = number
        self.is_stopped = False
        self.context = copy_context()
        self.context.run(PROCESS.set, self)
        self.parked: list[asyncio.Handle] = []


if TYPE_CHECKING:
    _Loop = Any
else:
    _Loop = asyncio.AbstractEventLoop

PROCESS: ContextVar[Process | None] = ContextVar("PROCESS", default=None)


def clock_offset() -> float:
    """Return how far the monotonic clock of this process is ahead of the run's clock.

    Each process has another offset, as on different machines: larger or smaller than the last one.
    The offsets are based on powers of two, so that sums are exact.
    """
    process = PROCESS.get()
    if process is None or not process.number:
        return 0.0
    return float((1 << 20 if process.number % 2 else 1 << 10) + process.number)


class VirtualLoop(_Loop):  # type: ignore[misc]
    """Runs tasks in virtual time, in a reproducible order."""

    def __init__(self) -> None:
        self.now = 0.0
        self.errors: list[dict[str, Any]] = []
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._order = count()
        self._callbacks = 0
        self._max_callbacks = _MAX_CALLBACKS
        self._closed = False
        self._tasks: list[asyncio.Task[Any]] = []
        self._generators: weakref.WeakSet[AsyncGenerator[Any, Any]] = weakref.WeakSet()

    # ---- time and callbacks -------------------------------------------------------------------

    def time(self) -> float:
        """Return the virtual time of the current process, in seconds."""
        return self.now + clock_offset()

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Call a function in the next iteration."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Call a function in the next iteration. Explored programs have one thread."""
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self,
        delay: float,
        callback: Callable[..., Any],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call a function after `delay` seconds."""
        return self.at(self.now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[..., Any],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call a function at a moment of `time`."""
        return self.at(when - clock_offset(), callback, *args, context=context)

    def at(
        self,
        when: float,
        callback: Callable[..., Any],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call a function at a moment of the run, which `now` shows."""
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Do nothing: cancelled timers leave the heap when they become due."""

    # ---- running ------------------------------------------------------------------------------

    def run_until_complete(self, future: Any) -> Any:
        """Run until a coroutine is done.

        Raises:
            TooBusy: the tasks have run too many callbacks.
            RuntimeError: the coroutine is not done, and no callback or timer is left.
        """
        with self._running():
            task = asyncio.ensure_future(future, loop=self)
            self._run_while(lambda: not task.done())
        if not task.done():
            raise RuntimeError("the tasks wait for an event that never happens")
        return task.result()

    @contextmanager
    def _running(self) -> Generator[None]:
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._generators.add, finalizer=self._close_generator)
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            yield
        finally:
            events._set_running_loop(before)
            sys.set_asyncgen_hooks(*hooks)

    def _close_generator(self, generator: AsyncGenerator[Any, Any]) -> None:
        self._generators.discard(generator)
        if not self._closed:
            self.create_task(generator.aclose())  # `finish` waits for this task

    def _run_while(self, is_wanted: Callable[[], bool], until: float | None = None) -> None:
        ready, timers = self._ready, self._timers
        while is_wanted():
            while ready:
                handle = ready.popleft()
                if handle._cancelled:
                    continue
                process = handle._context.get(PROCESS)  # type: ignore[attr-defined]
                if process is not None and process.is_stopped:
                    process.parked.append(handle)
                    continue
                self._callbacks += 1
                handle._run()
                if self._callbacks > self._max_callbacks:
                    raise TooBusy
                if not is_wanted():
                    return
            if not timers or (until is not None and timers[0][0] > until):
                return
            self._advance_time()

    def _advance_time(self) -> None:
        timers = self._timers
        self.now = max(self.now, timers[0][0])
        while timers and timers[0][0] <= self.now:
            self._ready.append(heapq.heappop(timers)[2])

    def resume(self, process: Process) -> None:
        """Let a stopped process continue."""
        process.is_stopped = False
        parked, process.parked = process.parked, []
        self._ready.extend(parked)

    def finish(self, processes: Iterable[Process] = ()) -> None:
        """Cancel all tasks, and close the loop. Tasks that do not end are abandoned silently."""
        self._max_callbacks = self._callbacks + _MAX_FINAL_CALLBACKS
        until = self.now + _MAX_FINAL_SECONDS
        with self._running():
            for process in processes:
                self.resume(process)
            try:
                for _ in range(2):
                    for task in self._pending():
                        task.cancel()
                    self._run_while(lambda: bool(self._pending()), until)
            except TooBusy:
                pass
            self._closed = True
            self._abandon()

    def _abandon(self) -> None:
        for task in self._pending():
            task._log_destroy_pending = False  # type: ignore[attr-defined]
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.exception()  # asyncio does not log it as never retrieved then
        self._ready.clear()
        self._timers.clear()

    def _pending(self) -> list[asyncio.Task[Any]]:
        return [task for task in self._tasks if not task.done()]

    # ---- the rest of asyncio's loop interface -------------------------------------------------

    def create_future(self) -> asyncio.Future[Any]:
        """Create a future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
        **_: Any,
    ) -> asyncio.Task[T]:
        """Create a task of this loop."""
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.append(task)  # keeps tasks of killed processes from garbage collection
        return task

    def run_in_executor(self, _executor: Any, func: Callable[..., T], *args: Any) -> Any:
        """Call a function at once, in this thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the future's waiter gets it
            future.set_exception(error)
        return future

    async def create_server(self, *_: Any, **__: Any) -> Any:
        """Return a server that gets no connections."""
        return _Server()

    async def shutdown_asyncgens(self) -> None:
        """Close the asynchronous generators."""
        for generator in list(self._generators):
            await generator.aclose()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Do nothing: the loop has no executor."""

    def is_running(self) -> bool:
        """Whether tasks can run."""
        return not self._closed

    def is_closed(self) -> bool:
        """Whether the loop has finished."""
        return self._closed

    def get_debug(self) -> bool:
        """False: the debug mode of asyncio is off."""
        return False

    def set_debug(self, enabled: bool) -> None:
        """Do nothing: the debug mode stays off."""

    def add_signal_handler(self, sig: int, callback: Callable[..., object], *args: Any) -> None:
        """Do nothing: an explored program receives no signals."""

    def remove_signal_handler(self, _sig: int) -> bool:
        """Do nothing: an explored program receives no signals."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Record an unhandled exception."""
        self.errors.append(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Record an unhandled exception."""
        self.errors.append(context)


class _Server:
    """A server that gets no connections."""

    sockets: tuple[Any, ...] = ()

    def close(self) -> None:
        """Do nothing: the server has no socket."""

    async def wait_closed(self) -> None:
        """Return at once: the server has no connections."""

    def is_serving(self) -> bool:
        """True, as for a real server."""
        return True


def text_of(error: BaseException) -> str:
    """Format an exception as one line."""
    return traceback.format_exception_only(error)[-1].strip()

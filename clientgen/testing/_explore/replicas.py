"""A replica of the program: its processes, one after another, each with fresh memory."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING, Any, Final, Protocol

from clientgen.runtime._models.arguments import type_of

from .network import RunNetwork, Transport
from .virtual_loop import Process, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

_RESTART_SECONDS: Final = 1.0
_MAX_BACKOFF_SECONDS: Final = 30.0
_NO_THREADS: Final = (
    "the program uses clientgen.runtime.sync, which is for threads: explore runs asyncio programs; "
    "use clientgen.runtime.aio in it, such as AsyncManager for Manager"
)


class RunControl(RunNetwork, Protocol):
    """The part of a run that replicas use."""

    is_over: bool

    def new_process(self, name: str) -> Process:
        """Make a process with the next number."""
        ...

    def refuse(self, error: Exception) -> None:
        """End the run with an error: the program cannot be explored."""
        ...

    def start_program(self, transport: Transport) -> object:
        """Call `build`."""
        ...

    def call_later(self, seconds: float, function: Callable[[], object]) -> None:
        """Call a function later, outside of all processes."""
        ...

    def log_event(self, who: str, text: str) -> None:
        """Add a line to the report."""
        ...


class Replica:
    """Starts the program, and restarts it when it has ended or was killed.

    Attributes:
        name: the name in reports.
        ends: the moments at which the program ended by itself, and how.
    """

    def __init__(self, run: RunControl, name: str) -> None:
        self.run = run
        self.name = name
        self.process: Process | None = None
        self.transport: Transport | None = None
        self.processes: list[Process] = []
        self.ends: list[tuple[float, str]] = []
        self.is_held_down = False

    def start(self) -> None:
        """Start a process, unless one is running."""
        if self.process is not None or self.is_held_down or self.run.is_over:
            return
        self.process = process = self.run.new_process(self.name)
        self.transport = Transport(self.run, self.name)
        self.processes.append(process)
        if len(self.processes) > 1:
            self.run.log_event(self.name, "starts again, with an empty memory")
        main = self._main(process, self.transport)
        self.run.loop.create_task(main, context=process.context)

    def kill(self, why: str) -> None:
        """End the process at once: none of its code runs afterwards."""
        if self.process is None:
            return
        self.run.log_event(self.name, f"is killed {why}")
        self._end()
        self._start_after(_RESTART_SECONDS)

    def pause(self, seconds: float) -> None:
        """Stop the process for some seconds, as SIGSTOP does."""
        process = self.process
        if process is None:
            return
        process.is_stopped = True
        self.run.log_event(self.name, f"is paused for {seconds:g} s")

        def resume() -> None:
            if self.process is process:
                self.run.log_event(self.name, "continues")
                self.run.loop.resume(process)

        self.run.call_later(seconds, resume)

    def _end(self) -> None:
        process, transport = self.process, self.transport
        assert process is not None
        assert transport is not None
        process.is_stopped = True
        self.process = None
        transport.is_down = True
        for stream in tuple(transport.streams):
            stream.abort()

    def _start_after(self, seconds: float) -> None:
        self.run.call_later(seconds, self.start)

    async def _main(self, process: Process, transport: Transport) -> None:
        how = "ends"
        try:
            await self._program(transport)
        except NotExplorable as error:
            self.run.refuse(TypeError(str(error)))
        except Exception as error:  # noqa: BLE001 - any exception ends the process
            if _is_from_sync_runtime(error):
                self.run.refuse(TypeError(f"{_NO_THREADS} ({error})"))
            how = f"ends with {text_of(error)}"
        if self.process is process and not self.run.is_over:
            self.run.log_event(self.name, how)
            self.ends.append((self.run.loop.now, how))
            self._end()
            self._start_after(min(_RESTART_SECONDS * 2 ** len(self.ends), _MAX_BACKOFF_SECONDS))

    async def _program(self, transport: Transport) -> None:
        program: Any = self.run.start_program(transport)
        if run := getattr(program, "run", None):
            if not inspect.iscoroutinefunction(run):
                raise NotExplorable(f"{_NO_THREADS} (it returned {type_of(program)})")
            program = run()
        if not inspect.isawaitable(program):
            raise NotExplorable(
                f"the program returned {type_of(program)}: write a coroutine function that runs "
                "until it is cancelled, or return an AsyncManager or AsyncController that does "
                "not run yet"
            )
        await program


class NotExplorable(Exception):  # noqa: N818 - internal
    """`build` returned an object that cannot be run."""


def _is_from_sync_runtime(error: Exception) -> bool:
    """Whether the synchronous runtime has raised a TypeError: it refuses asyncio objects."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return isinstance(error, TypeError) and any(
        str(frame.f_globals.get("__name__")).startswith("clientgen.runtime._sync.")
        for frame in frames
    )

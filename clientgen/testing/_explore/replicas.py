"""A replica of the program: processes, one after the other, each with an empty memory."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING, Any, Final, Protocol

from clientgen.runtime._models.arguments import named

from .network import Transport, World
from .virtual_loop import Process, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Replica"]

_RESTART: Final = 1.0
_LONGEST_BACKOFF: Final = 30.0
_FOR_THREADS: Final = (
    "the program uses clientgen.runtime.sync, which is for threads: explore runs asyncio programs; "
    "use clientgen.runtime.aio in it, such as AsyncManager for Manager"
)


class Surroundings(World, Protocol):
    """The run, as replicas see it."""

    is_over: bool

    def new_process(self, name: str) -> Process:
        """A process with a number of its own."""
        ...

    def refuse(self, error: Exception) -> None:
        """End the run: what is explored cannot be."""
        ...

    def start_program(self, transport: Transport) -> object:
        """Call `build`."""
        ...

    def later(self, seconds: float, function: Callable[[], object]) -> None:
        """Do something later, whatever becomes of the processes."""
        ...

    def tell(self, who: str, text: str) -> None:
        """Note what happened."""
        ...


class Replica:
    """Starts the program, and starts it again when it has ended or was killed.

    Attributes:
        name: how it is shown.
        ends: when it ended by itself, and how.
    """

    def __init__(self, run: Surroundings, name: str) -> None:
        self.run = run
        self.name = name
        self.process: Process | None = None
        self.transport: Transport | None = None
        self.processes: list[Process] = []
        self.ends: list[tuple[float, str]] = []
        self.is_held_down = False

    def start(self) -> None:
        """Start a process, unless one runs."""
        if self.process is not None or self.is_held_down or self.run.is_over:
            return
        self.process = process = self.run.new_process(self.name)
        self.transport = Transport(self.run, self.name)
        self.processes.append(process)
        if len(self.processes) > 1:
            self.run.tell(self.name, "starts again, with an empty memory")
        main = self._main(process, self.transport)
        self.run.loop.create_task(main, context=process.context)

    def kill(self, why: str) -> None:
        """End the process at once: nothing of it runs any more."""
        if self.process is None:
            return
        self.run.tell(self.name, f"is killed {why}")
        self._end()
        self._start_after(_RESTART)

    def pause(self, seconds: float) -> None:
        """Let the process stand still."""
        process = self.process
        if process is None:
            return
        process.is_stopped = True
        self.run.tell(self.name, f"stands still for {seconds:g} s")

        def resume() -> None:
            if self.process is process:
                self.run.tell(self.name, "goes on")
                self.run.loop.resume(process)

        self.run.later(seconds, resume)

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
        self.run.later(seconds, self.start)

    async def _main(self, process: Process, transport: Transport) -> None:
        how = "ends"
        try:
            await self._program(transport)
        except NotExplorable as error:
            self.run.refuse(TypeError(str(error)))
        except Exception as error:  # noqa: BLE001 - whatever it is, the process ends with it
            if _is_of_threads(error):
                self.run.refuse(TypeError(f"{_FOR_THREADS} ({error})"))
            how = f"ends with {text_of(error)}"
        if self.process is process and not self.run.is_over:
            self.run.tell(self.name, how)
            self.ends.append((self.run.loop.now, how))
            self._end()
            self._start_after(min(_RESTART * 2 ** len(self.ends), _LONGEST_BACKOFF))

    async def _program(self, transport: Transport) -> None:
        made: Any = self.run.start_program(transport)
        if run := getattr(made, "run", None):
            if not inspect.iscoroutinefunction(run):
                raise NotExplorable(f"{_FOR_THREADS} (it returned {named(made)})")
            made = run()
        if not inspect.isawaitable(made):
            raise NotExplorable(
                f"the program returned {named(made)}: write a coroutine function that runs "
                "until it is cancelled, or return an AsyncManager or AsyncController that does "
                "not run yet"
            )
        await made


class NotExplorable(Exception):  # noqa: N818 - tells who starts the program
    """What `build` returns is nothing that can be run."""


def _is_of_threads(error: Exception) -> bool:
    """Whether an argument was refused by the flavour of the runtime that is for threads."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return isinstance(error, TypeError) and any(
        str(frame.f_globals.get("__name__")).startswith("clientgen.runtime._sync.")
        for frame in frames
    )

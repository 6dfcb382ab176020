# Derived from _async/command.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Commands in containers, run to their end: what `exec` and the copying of files stand on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .._models.exec_result import ExecResult
from ..errors import ConnectionLost, RequestTimeout, ResponseBroken
from ._primitives import spawn

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from .._streams.outputs import Output
    from ..errors import RequestInfo
    from ._primitives import Function, Task
    from .exec_stream import ExecStream
    from .rest import Rest

__all__ = ["CommandInput", "CommandOutput", "GivenBytes", "Running", "run_command"]


class GivenBytes:
    """The input of a command that is there as a whole."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self) -> bytes:
        """Return all of it; then nothing."""
        data, self._data = self._data, b""
        return data


class CommandInput:
    """Writes the input of a command beside who reads its output.

    Args:
        take: Returns the next piece of the input; an empty one at its end.
        needs_end: Whether the command needs the end of its input.
    """

    def __init__(self, take: Function[[], bytes], *, needs_end: bool = True) -> None:
        self._take = take
        self._needs_end = needs_end
        self._task: Task | None = None
        self._error: Exception | None = None

    def start(self, stream: ExecStream) -> None:
        """Begin to write."""
        self._task = spawn(partial(self._feed, stream), "clientgen stdin")

    def stop(self) -> None:
        """Wait until nothing is written any more; the stream is aborted."""
        if self._task is not None:
            self._task.join()

    def check(self) -> None:
        """Make sure that the input could be made.

        Raises:
            Exception: What went wrong.
        """
        if self._error is not None:
            raise self._error

    def _feed(self, stream: ExecStream) -> None:
        try:
            while piece := self._take():
                stream.write(piece)
            if self._needs_end or stream.can_close_stdin:
                stream.close_stdin()
        except ConnectionLost:  # it may end before it has read everything
            pass
        except Exception as error:  # noqa: BLE001 - raised where the command is awaited
            self._error = error
            stream.abort()


class Running:
    """Opens a stream for a command, feeds it, and gives it up at its deadline.

    Leaving the block raises what made it fail, if that is known better here: `RequestTimeout`, or
    what was wrong with the input.
    """

    def __init__(
        self,
        rest: Rest,
        stream: ExecStream,
        info: RequestInfo,
        given: CommandInput | None,
        deadline: float | None,
    ) -> None:
        self._rest = rest
        self._stream = stream
        self._info = info
        self._given = given
        self._deadline = deadline
        self._cancel: Callable[[], object] | None = None
        self._late = ""

    def __enter__(self) -> Self:
        try:
            self._stream.__enter__()
            if self._deadline is not None:
                self._cancel = self._rest.alarm_at(self._deadline, self._ring)
            if self._given is not None:
                self._given.start(self._stream)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._cancel is not None:
            self._cancel()
        try:
            if self._given is not None:
                self._stream.abort()
                self._given.stop()
        finally:
            self._stream.close()
        if isinstance(error, ConnectionLost):
            if self._late:
                raise RequestTimeout(f"{self._info}: {self._late}") from None
            if self._given is not None:
                self._given.check()

    def _ring(self, why: str) -> None:
        self._late = why or "the command did not end before the timeout"
        self._stream.abort()


class CommandOutput:
    """The output of a command.

    Args:
        info: The request that runs it.
        limit: The most bytes that it may write; None for no limit.
    """

    def __init__(self, info: RequestInfo, limit: int | None) -> None:
        self.info = info
        self._limit = limit
        # As objects of their own, tiny pieces would take much more memory than the limit.
        self._written = {"stdout": bytearray(), "stderr": bytearray()}

    @property
    def stderr(self) -> bytes:
        """What it has written to stderr."""
        return bytes(self._written["stderr"])

    def add(self, piece: Output) -> None:
        """Keep what was written.

        Raises:
            ResponseBroken: It is more than the limit.
        """
        self._written[piece.stream] += piece.data
        size = sum(map(len, self._written.values()))
        if self._limit is not None and size > self._limit:
            raise ResponseBroken(
                f"{self.info}: the command wrote more than limit={self._limit} bytes"
            )

    def result(self, exit_code: int) -> ExecResult:
        """Return all of it."""
        stdout = bytes(self._written["stdout"])
        return ExecResult(stdout=stdout, stderr=self.stderr, exit_code=exit_code)


def run_command(
    rest: Rest,
    stream: ExecStream,
    output: CommandOutput,
    given: CommandInput | None,
    deadline: float | None,
) -> ExecResult:
    """Run a command to its end. What it writes goes to `output` meanwhile.

    Raises:
        ApiError: It could not be run.
        ConnectionLost: The connection broke, or ended without the exit code.
        RequestTimeout: It did not end before the deadline.
        ResponseBroken: It wrote more than the limit, or the server cannot end its input.
    """
    with Running(rest, stream, output.info, given, deadline):
        for piece in stream:
            output.add(piece)
    return output.result(stream.wait())

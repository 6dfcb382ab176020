"""Runs commands in containers to their end, for `exec` and for copying files."""

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
    from .exec_stream import AsyncExecStream
    from .rest import AsyncRest


class GivenBytes:
    """The input of a command, given as bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def take(self) -> bytes:
        """Return all bytes at the first call, then empty bytes."""
        data, self._data = self._data, b""
        return data


class CommandInput:
    """Writes the input of a command in a task or thread, while the caller reads its output.

    Args:
        take: Returns the next piece of the input; empty at the end.
        needs_end: Whether the command needs the end of its input.
    """

    def __init__(self, take: Function[[], bytes], *, needs_end: bool = True) -> None:
        self._take = take
        self._needs_end = needs_end
        self._task: Task | None = None
        self._error: Exception | None = None

    def start(self, stream: AsyncExecStream) -> None:
        """Start writing."""
        self._task = spawn(partial(self._feed, stream), "clientgen stdin")

    async def stop(self) -> None:
        """Wait until the writer has ended. The caller must abort the stream first."""
        if self._task is not None:
            await self._task.join()

    def check(self) -> None:
        """Raise the error of the input, if there was one.

        Raises:
            Exception: The error of `take`, or of closing the input.
        """
        if self._error is not None:
            raise self._error

    async def _feed(self, stream: AsyncExecStream) -> None:
        try:
            while piece := await self._take():
                await stream.write(piece)
            if self._needs_end or stream.can_close_stdin:
                await stream.close_stdin()
        except ConnectionLost:  # a command may end before it has read all input
            pass
        except Exception as error:  # noqa: BLE001 - `check` raises it
            self._error = error
            stream.abort()


class RunningCommand:
    """Opens the stream of a command, writes its input, and aborts it at the deadline.

    If the `with` block raises ConnectionLost and its cause is known, the block raises the cause
    instead: `RequestTimeout`, or the error of the input. On cancellation, the stream is closed.
    """

    def __init__(
        self,
        rest: AsyncRest,
        stream: AsyncExecStream,
        info: RequestInfo,
        command_input: CommandInput | None,
        deadline: float | None,
    ) -> None:
        self._rest = rest
        self._stream = stream
        self._info = info
        self._command_input = command_input
        self._deadline = deadline
        self._cancel: Callable[[], object] | None = None
        self._timeout_reason = ""

    async def __aenter__(self) -> Self:
        try:
            await self._stream.__aenter__()
            if self._deadline is not None:
                self._cancel = self._rest.alarm_at(self._deadline, self._abort_late)
            if self._command_input is not None:
                self._command_input.start(self._stream)
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._cancel is not None:
            self._cancel()
        try:
            if self._command_input is not None:
                self._stream.abort()
                await self._command_input.stop()
        finally:
            await self._stream.aclose()
        if isinstance(error, ConnectionLost):
            if self._timeout_reason:
                raise RequestTimeout(f"{self._info}: {self._timeout_reason}") from None
            if self._command_input is not None:
                self._command_input.check()

    def _abort_late(self, why: str) -> None:
        self._timeout_reason = why or "the command did not end before the timeout"
        self._stream.abort()


class CommandOutput:
    """The output of a command.

    Args:
        info: The request that runs the command.
        limit: The maximum number of bytes of output; None for no limit.
    """

    def __init__(self, info: RequestInfo, limit: int | None) -> None:
        self.info = info
        self._limit = limit
        # A list of tiny pieces would take much more memory than the limit.
        self._written = {"stdout": bytearray(), "stderr": bytearray()}

    @property
    def stderr(self) -> bytes:
        """The output to stderr so far."""
        return bytes(self._written["stderr"])

    def add(self, piece: Output) -> None:
        """Add a piece of output.

        Raises:
            ResponseBroken: The output exceeds the limit.
        """
        self._written[piece.stream] += piece.data
        size = sum(map(len, self._written.values()))
        if self._limit is not None and size > self._limit:
            raise ResponseBroken(
                f"{self.info}: the command wrote more than limit={self._limit} bytes"
            )

    def result(self, exit_code: int) -> ExecResult:
        """Return the output with the exit code."""
        stdout = bytes(self._written["stdout"])
        return ExecResult(stdout=stdout, stderr=self.stderr, exit_code=exit_code)


async def run_command(
    rest: AsyncRest,
    stream: AsyncExecStream,
    output: CommandOutput,
    command_input: CommandInput | None,
    deadline: float | None,
) -> ExecResult:
    """Run a command to its end, and collect its output in `output`.

    Raises:
        ApiError: The command could not be run.
        ConnectionLost: The connection broke, or ended without the exit code.
        RequestTimeout: The command did not end before the deadline.
        ResponseBroken: The output exceeds the limit, or the server cannot close the input.
    """
    async with RunningCommand(rest, stream, output.info, command_input, deadline):
        async for piece in stream:
            output.add(piece)
    return output.result(await stream.wait())

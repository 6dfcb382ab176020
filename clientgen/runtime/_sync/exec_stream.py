# Derived from _async/exec_stream.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Commands in containers: `ExecStream`, and `exec` on top of it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from .._models.exec_result import ExecResult
from .._streams.channels import STDIN, SUBPROTOCOLS, V5, closing, message, resizing
from .._streams.outputs import OutputReader
from ..errors import ClientError, ConnectionLost, RequestTimeout, ResponseBroken
from ._primitives import call_later, spawn

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from .._http.request import HttpRequest
    from .._streams.outputs import Output
    from ..errors import RequestInfo
    from ._primitives import Task
    from .rest import Rest
    from .websocket import WebSocket

__all__ = ["ExecStream", "run_command"]

_PIECE = 1 << 16


class ExecStream:
    r"""A process in a container, with its input and output.

        with pods.exec_stream("web-0", ["sh"], stdin=True) as process:
            process.write("ls /data\n")
            process.close_stdin()
            for stream, data in process:
                print(stream, data)
        print(process.exit_code)

    It is an iterator of `Output`, which ends when the process ends. While nobody reads, the process
    waits once the buffers of the connection are full. Leaving the `with` block closes the
    connection; what becomes of a process that still runs then is up to the container runtime.

    One caller reads at a time; others may write meanwhile.
    """

    def __init__(
        self, rest: Rest, request: HttpRequest, timeout: float | None, *, has_stdin: bool
    ) -> None:
        self._rest = rest
        self._request = request
        self._timeout = timeout
        self._has_stdin = has_stdin
        self._socket: WebSocket | None = None
        self._reader = OutputReader(request.info)
        self._is_over = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._request.info}>"

    def __enter__(self) -> Self:
        if self._socket is not None:
            raise RuntimeError(f"{self!r} was opened before")
        deadline = self._rest.deadline({"timeout": self._timeout})
        self._socket = self._rest.connect(self._request, SUBPROTOCOLS, deadline)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process; None before all its output was read."""
        return self._reader.exit_code

    def write(self, data: bytes | str) -> None:
        """Write to the stdin of the process, and wait while it does not read.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            RuntimeError: The stream was opened without `stdin=True`.
        """
        self._check_stdin()
        socket = self._opened()
        view = memoryview(data.encode() if isinstance(data, str) else data)
        for start in range(0, len(view), _PIECE):
            socket.send(message(STDIN, bytes(view[start : start + _PIECE])))

    def close_stdin(self) -> None:
        """Tell the process that nothing more comes on its stdin.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ResponseBroken: The server is too old: it only speaks `v4.channel.k8s.io`.
            RuntimeError: The stream was opened without `stdin=True`.
        """
        self._check_stdin()
        socket = self._opened()
        if socket.subprotocol != V5:
            raise ResponseBroken(
                f"{self._request.info}: the server speaks {socket.subprotocol}, which cannot tell"
                " the process that its input ends; have the command read no further, as `head -c`"
            )
        socket.send(closing(STDIN))

    def resize(self, width: int, height: int) -> None:
        """Tell the size of the terminal, in columns and rows.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ValueError: That is no size.
        """
        self._opened().send(resizing(width, height))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Output:
        """Read what the process writes next.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The connection broke, or ended without the exit code.
        """
        socket = self._opened()
        while not self._is_over:
            received = socket.receive()
            if received is None:
                self._is_over = True
                self._reader.finish()
            elif output := self._reader.feed(received):
                return output
        raise StopIteration

    def wait(self) -> int:
        """Drop the output that was not read, and return the exit code once the process has ended.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The connection broke, or ended without the exit code.
        """
        for _ in self:
            pass
        if self.exit_code is None:
            raise ConnectionLost(f"{self._request.info}: the exit code is not known")
        return self.exit_code

    def abort(self) -> None:
        """Give the connection up at once, from any other task or thread."""
        if self._socket is not None:
            self._socket.abort()

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()

    def _opened(self) -> WebSocket:
        if self._socket is None:
            raise RuntimeError(f"{self!r} is not open: use it in a `with` block")
        return self._socket

    def _check_stdin(self) -> None:
        if not self._has_stdin:
            raise RuntimeError(f"{self!r} has no stdin: open it with stdin=True")


def run_command(
    stream: ExecStream,
    request: HttpRequest,
    stdin: bytes | None,
    deadline: float | None,
    limit: int | None,
) -> ExecResult:
    """Run a command to its end.

    Raises:
        ApiError: It could not be run.
        ConnectionLost: The connection broke, or ended without the exit code.
        RequestTimeout: It did not end before the deadline.
        ResponseBroken: It wrote more than `limit` bytes, or the server cannot end its input.
    """
    output = _Collected(request.info, limit)
    feeder = _Feeder(stream, stdin)
    with stream, _Alarm(stream, deadline) as alarm:
        feeder.start()
        try:
            for piece in stream:
                output.add(piece)
        except ConnectionLost:
            alarm.check(request.info)
            feeder.check()
            raise
        finally:
            feeder.stop()
    return output.result(stream.wait())


class _Collected:
    """The output of a command."""

    def __init__(self, info: RequestInfo, limit: int | None) -> None:
        self._info = info
        self._limit = limit
        self._size = 0
        self._parts: dict[str, list[bytes]] = {"stdout": [], "stderr": []}

    def add(self, piece: Output) -> None:
        self._parts[piece.stream].append(piece.data)
        self._size += len(piece.data)
        if self._limit is not None and self._size > self._limit:
            raise ResponseBroken(
                f"{self._info}: the command wrote more than limit={self._limit} bytes"
            )

    def result(self, exit_code: int) -> ExecResult:
        stdout, stderr = (b"".join(parts) for parts in self._parts.values())
        return ExecResult(stdout=stdout, stderr=stderr, exit_code=exit_code)


class _Feeder:
    """Writes the input of a command beside who reads its output."""

    def __init__(self, stream: ExecStream, stdin: bytes | None) -> None:
        self._stream = stream
        self._stdin = stdin
        self._task: Task | None = None
        self._error: ClientError | None = None

    def start(self) -> None:
        if self._stdin is not None:
            self._task = spawn(self._feed, "clientgen stdin")

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        if self._task is not None:
            self._stream.abort()
            self._task.join()

    def _feed(self) -> None:
        assert self._stdin is not None
        try:
            self._stream.write(self._stdin)
            self._stream.close_stdin()
        except ConnectionLost:  # it may end before it has read everything
            pass
        except ClientError as error:
            self._error = error
            self._stream.abort()


class _Alarm:
    """Gives a stream up at its deadline."""

    def __init__(self, stream: ExecStream, deadline: float | None) -> None:
        self._stream = stream
        self._deadline = deadline
        self._cancel: Callable[[], object] | None = None
        self._rang = False

    def __enter__(self) -> Self:
        if self._deadline is not None:
            self._cancel = call_later(max(0.0, self._deadline - monotonic()), self._ring)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._cancel is not None:
            self._cancel()

    def check(self, info: RequestInfo) -> None:
        """Make sure that the deadline has not passed.

        Raises:
            RequestTimeout: It has.
        """
        if self._rang:
            raise RequestTimeout(f"{info}: the command did not end before the timeout")

    def _ring(self) -> None:
        self._rang = True
        self._stream.abort()

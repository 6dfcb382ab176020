# Derived from _async/exec_stream.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`ExecStream`: a process in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._streams.channels import STDIN, SUBPROTOCOLS, V5, close_message, message, resize_message
from .._streams.outputs import OutputReader
from ..errors import ConnectionLost, ResponseBroken
from ._primitives import ReadByFor

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .._http.request import HttpRequest
    from .._streams.outputs import Output
    from .rest import Rest
    from .websocket import WebSocket

__all__ = ["ExecStream"]

# With its headers, a message fits into 128 KiB; larger ones are not faster.
_PIECE = (1 << 17) - 64


class ExecStream(ReadByFor):
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
        """The exit code of the process; None before all its output was read.

        Of `attach` it is 0 once the streams have ended: nodes do not tell how the process ended.
        """
        return self._reader.exit_code

    @property
    def can_close_stdin(self) -> bool:
        """Whether the process can be told that its input ends; known once the stream is open."""
        return self._socket is not None and self._socket.subprotocol == V5

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
            socket.send(message(STDIN, view[start : start + _PIECE]))

    def close_stdin(self) -> None:
        """Tell the process that nothing more comes on its stdin.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ResponseBroken: The server is too old: it only speaks `v4.channel.k8s.io`.
            RuntimeError: The stream was opened without `stdin=True`.
        """
        self._check_stdin()
        socket = self._opened()
        if not self.can_close_stdin:
            raise ResponseBroken(
                f"{self._request.info}: the server speaks {socket.subprotocol}, which cannot tell"
                " the process that its input ends; have the command read no further, as `head -c`"
            )
        socket.send(close_message(STDIN))

    def resize(self, width: int, height: int) -> None:
        """Tell the size of the terminal, in columns and rows.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ValueError: That is no size.
        """
        self._opened().send(resize_message(width, height))

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

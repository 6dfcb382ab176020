"""`AsyncExecStream`: the streams of a process in a container."""

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
    from .rest import AsyncRest
    from .websocket import AsyncWebSocket

# A message of this size fits into 128 KiB with its headers. Larger messages are not faster.
_CHUNK_BYTES = (1 << 17) - 64


class AsyncExecStream(ReadByFor):
    r"""A process in a container, with its input and output.

        async with pods.exec_stream("web-0", ["sh"], stdin=True) as process:
            await process.write("ls /data\n")
            await process.close_stdin()
            async for stream, data in process:
                print(stream, data)
        print(process.exit_code)

    Iterate over the stream to get each `Output` until the process ends. If your program does not
    read, the process blocks once the buffers of the connection are full. Leaving the `with` block,
    also by cancellation, closes the connection. The container runtime decides whether it kills a
    process that still runs.

    One task or thread may read while others write.
    """

    def __init__(
        self, rest: AsyncRest, request: HttpRequest, timeout: float | None, *, has_stdin: bool
    ) -> None:
        self._rest = rest
        self._request = request
        self._timeout = timeout
        self._has_stdin = has_stdin
        self._socket: AsyncWebSocket | None = None
        self._reader = OutputReader(request.info)
        self._is_over = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._request.info}>"

    async def __aenter__(self) -> Self:
        if self._socket is not None:
            raise RuntimeError(f"{self!r} was opened before")
        deadline = self._rest.deadline({"timeout": self._timeout})
        self._socket = await self._rest.connect(self._request, SUBPROTOCOLS, deadline)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process; None before all output was read.

        For `attach`, it is 0 once the streams have ended, because nodes do not report the exit
        code.
        """
        return self._reader.exit_code

    @property
    def can_close_stdin(self) -> bool:
        """Whether `close_stdin` works with this server; known once the stream is open."""
        return self._socket is not None and self._socket.subprotocol == V5

    async def write(self, data: bytes | str) -> None:
        """Write to the stdin of the process. Waits while the process does not read.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            RuntimeError: The stream was opened without `stdin=True`.
        """
        self._check_stdin()
        socket = self._open_socket()
        view = memoryview(data.encode() if isinstance(data, str) else data)
        for start in range(0, len(view), _CHUNK_BYTES):
            await socket.send(message(STDIN, view[start : start + _CHUNK_BYTES]))

    async def close_stdin(self) -> None:
        """Close the stdin of the process, so that the process gets the end of its input.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ResponseBroken: The server is too old: it supports `v4.channel.k8s.io` only.
            RuntimeError: The stream was opened without `stdin=True`.
        """
        self._check_stdin()
        socket = self._open_socket()
        if not self.can_close_stdin:
            raise ResponseBroken(
                f"{self._request.info}: the server's {socket.subprotocol} cannot close stdin;"
                " run a command that stops reading by itself, such as `head -c`"
            )
        await socket.send(close_message(STDIN))

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the terminal, in columns and rows.

        Raises:
            ConnectionLost: The process has ended, or the connection broke.
            ValueError: The width or the height is out of range.
        """
        await self._open_socket().send(resize_message(width, height))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Output:
        """Read the next output of the process.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The connection broke, or ended without the exit code.
        """
        socket = self._open_socket()
        while not self._is_over:
            received = await socket.receive()
            if received is None:
                self._is_over = True
                self._reader.finish()
            elif output := self._reader.feed(received):
                return output
        raise StopAsyncIteration

    async def wait(self) -> int:
        """Drop the remaining output, and return the exit code when the process has ended.

        Raises:
            ApiError: The process could not be run.
            ConnectionLost: The connection broke, or ended without the exit code.
        """
        async for _ in self:
            pass
        if self.exit_code is None:
            raise ConnectionLost(f"{self._request.info}: the exit code is unknown")
        return self.exit_code

    def abort(self) -> None:
        """Close the connection at once. Any task or thread may call this."""
        if self._socket is not None:
            self._socket.abort()

    async def aclose(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            await self._socket.aclose()

    def _open_socket(self) -> AsyncWebSocket:
        if self._socket is None:
            raise RuntimeError(f"{self!r} is not open: use it in a `with` block")
        return self._socket

    def _check_stdin(self) -> None:
        if not self._has_stdin:
            raise RuntimeError(f"{self!r} has no stdin: open it with stdin=True")

"""Connections to a local port. `_sync/local_listener.py` is written by hand for threads."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    import socket

    from .._net.acceptor import Acceptor
    from ._primitives import Function

logger = logging.getLogger("clientgen.runtime.ports")

_HOST = "127.0.0.1"
_MAX_READ_BYTES = 1 << 16


class AsyncLocalConnection:
    """A connection from a program on this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """Return the next bytes; empty bytes at the end of the stream and after `abort`."""
        try:
            return await self._reader.read(_MAX_READ_BYTES)
        except OSError:
            return b""

    async def write(self, data: bytes) -> None:
        """Send bytes. Waits while the program does not read.

        Raises:
            OSError: The program has closed the connection.
        """
        self._writer.write(data)
        await self._writer.drain()

    def abort(self) -> None:
        """Close the connection at once and drop unsent bytes."""
        self._writer.transport.abort()

    async def aclose(self) -> None:
        """Close the connection after all written bytes have been sent."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


class AsyncLocalListener:
    """Accepts connections to a loopback port, and serves each connection in a new task.

    Args:
        serve: Called with each connection. The connection is aborted when the function returns or
            raises.
    """

    def __init__(self, serve: Function[[AsyncLocalConnection], None]) -> None:
        self._serve = serve
        self._acceptor: Acceptor | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, port: int) -> int:
        """Listen on a port; 0 chooses a free port. Returns the port.

        Raises:
            OSError: The port cannot be listened on, for example because another program uses it.
        """
        import socket  # importing a generated package must stay cheap

        from .._net.acceptor import Acceptor

        listening = socket.create_server((_HOST, port), backlog=128)
        bound: int = listening.getsockname()[1]

        def log_failure(error: OSError) -> None:
            logger.warning("local port %d: cannot accept connections: %s", bound, error)

        self._acceptor = Acceptor(listening, self._admit, log_failure)
        self._acceptor.start("clientgen-ports")
        return bound

    async def adopt(self, sock: socket.socket) -> None:
        """Serve a connection that the caller has accepted."""
        self._admit(sock)

    def _admit(self, sock: socket.socket, _address: object = None) -> None:
        import asyncio

        task = asyncio.create_task(self._run(sock), name="clientgen-port")
        self._tasks.add(task)
        # Callbacks, because a task that is cancelled before it starts runs no `finally`.
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: sock.close())

    async def _run(self, sock: socket.socket) -> None:
        import asyncio

        connection = AsyncLocalConnection(*await asyncio.open_connection(sock=sock))
        try:
            await self._serve(connection)
        finally:
            connection.abort()

    async def aclose(self) -> None:
        """Stop listening, and abort all connections."""
        import asyncio

        acceptor, self._acceptor = self._acceptor, None
        if acceptor is not None:
            await acceptor.stop()
        while tasks := [*self._tasks]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

"""A server that may break any rule: a function talks to each connection as it likes.

with RawServer(lambda peer: peer.drip(b"HTTP/1.1 200 O", b"K")) as server: ...
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

# A client that waits for longer than this has missed its deadline; the server then hangs up.
PATIENCE = 15.0
_BETWEEN = 0.01


class Peer:
    """One connection, as the function of a `RawServer` sees it."""

    def __init__(self, connection: socket.socket, closing: threading.Event) -> None:
        self.connection = connection
        self._closing = closing

    def read_request(self) -> bytes:
        """Read as far as the end of the headers; gives what came."""
        data = b""
        while b"\r\n\r\n" not in data and (more := self.connection.recv(65536)):
            data += more
        return data

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def wait(self) -> None:
        """Be silent until the test is over."""
        self._closing.wait(PATIENCE)

    def drip(self, start: bytes, again: bytes) -> None:
        """Send a start, and then a little now and then, for as long as the client listens."""
        self.send(start)
        for _ in range(int(PATIENCE / _BETWEEN)):
            if self._closing.wait(_BETWEEN):
                return
            self.send(again)

    def flood(self, start: bytes, again: bytes) -> None:
        """The same without a pause."""
        self.send(start)
        block = again * (1 + 65536 // len(again))
        while not self._closing.is_set():
            self.send(block)


class RawServer:
    """Has a function talk to each connection, in a thread of its own."""

    def __init__(self, talk: Callable[[Peer], object]) -> None:
        self.talks: list[bytes] = []
        self._talk = talk
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def connections(self) -> int:
        return len(self._connections)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing.set()
        for each in (self._listener, *self._connections):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        for each in (self._listener, *self._connections):
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            self._talk(Peer(connection, self._closing))
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

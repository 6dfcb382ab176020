"""A proxy between a client and a server that stops forwarding, and keeps all connections open."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any, Self

__all__ = ["BlackHole"]


class BlackHole:
    """Forwards what comes to `port`, until it is told to swallow it.

    Its system goes on to acknowledge what is sent, so that no end learns anything of it.

    Attributes:
        connections: How many have been accepted.
    """

    def __init__(self, target: int) -> None:
        self.connections = 0
        self._target = target
        self._swallows = threading.Event()
        self._old: set[socket.socket] = set()
        self._accepted: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._spawn(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def swallow(self) -> None:
        """Forward nothing any more, over these connections and over new ones."""
        self._swallows.set()
        self.forget()

    def forget_one(self, number: int) -> None:
        """Forward nothing any more over one connection, counted from 0; all others work."""
        self._old.add(self._accepted[number])

    def forget(self) -> None:
        """Forward nothing any more over the connections there are; new ones work."""
        self._old.update(self._sockets)

    def work(self) -> None:
        """Forward what comes over new connections; what was swallowed stays lost."""
        self.forget()
        self._swallows.clear()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for each in self._sockets:
            each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _spawn(self, target: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._accepted.append(client)
            self._sockets.append(client)
            if self._swallows.is_set():
                self._old.add(client)
            self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            if client not in self._old:
                client.close()
                return
            server, _ = socket.socketpair()
        self._sockets.append(server)
        self._spawn(self._copy, client, server, client)
        self._copy(server, client, client)

    def _copy(self, source: socket.socket, target: socket.socket, client: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if client not in self._old:
                    target.sendall(data)
        except OSError:
            pass  # a connection that was reset ends, too
        if client not in self._old:
            with contextlib.suppress(OSError):
                target.shutdown(socket.SHUT_WR)

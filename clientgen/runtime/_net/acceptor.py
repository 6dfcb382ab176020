"""Accepts the connections of a listening socket, on an event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

__all__ = ["Acceptor"]

# Iterations of the event loop until the result of a pending accept has reached `_accept`.
_LOOP_STEPS: Final = 5
_RETRY_SECONDS: Final = 1.0  # after a failed accept, for example without free file descriptors


class Acceptor:
    """Accepts connections until `stop`.

    It is used in place of asyncio's servers for two reasons. They report a connection only after
    its TLS handshake. And without free file descriptors, they log hundreds of tracebacks.

    Args:
        sock: The listening socket. `stop` closes it.
        admit: Called with each accepted socket and the address of the peer.
        complain: Called with the error when connections cannot be accepted. It is called again only
            after a connection was accepted.
    """

    def __init__(
        self,
        sock: socket.socket,
        admit: Callable[[socket.socket, Any], object],
        complain: Callable[[OSError], object],
    ) -> None:
        self._sock = sock
        self._sock.setblocking(False)
        self._admit = admit
        self._complain = complain
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False

    def start(self, name: str) -> None:
        """Start a task of this name that accepts connections."""
        self._task = asyncio.create_task(self._accept(), name=name)

    async def stop(self) -> None:
        """Admit the connections that were accepted already, and accept no more."""
        assert self._task is not None
        self._is_stopping = True
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().remove_reader(self._sock)
        try:
            for _ in range(_LOOP_STEPS):
                await asyncio.sleep(0)
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._sock.close()

    async def _accept(self) -> None:
        has_failed = False
        while not self._is_stopping:
            try:
                sock, address = await asyncio.get_running_loop().sock_accept(self._sock)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                if not has_failed:
                    self._complain(error)
                has_failed = True
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            has_failed = False
            self._admit(sock, address)
            await asyncio.sleep(0)  # let other tasks run, so that ended connections make room

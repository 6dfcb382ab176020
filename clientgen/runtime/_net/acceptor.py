"""Accepts the connections of a listening socket, on an event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

# After this many iterations of the loop, the result of a pending accept has reached `_accept`.
_DRAIN_ITERATIONS: Final = 5
# The pause after a failed accept, for example when no file descriptor is free.
_RETRY_SECONDS: Final = 1.0


class Acceptor:
    """Accepts connections until `stop`.

    asyncio's own servers are not used, because they report a connection only after its TLS
    handshake, and log hundreds of tracebacks when no file descriptor is free.

    Args:
        sock: The listening socket. `stop` closes it.
        admit: Called with each accepted socket and the address of the peer.
        on_error: Called with the error when connections cannot be accepted. Further errors are not
            reported until a connection has been accepted.
    """

    def __init__(
        self,
        sock: socket.socket,
        admit: Callable[[socket.socket, Any], object],
        on_error: Callable[[OSError], object],
    ) -> None:
        self._sock = sock
        self._sock.setblocking(False)
        self._admit = admit
        self._on_error = on_error
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False

    def start(self, name: str) -> None:
        """Start a task of this name that accepts connections."""
        self._task = asyncio.create_task(self._accept(), name=name)

    async def stop(self) -> None:
        """Accept no more connections. Admits the connections that were accepted before."""
        assert self._task is not None
        self._is_stopping = True
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().remove_reader(self._sock)
        try:
            for _ in range(_DRAIN_ITERATIONS):
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
                    self._on_error(error)
                has_failed = True
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            has_failed = False
            self._admit(sock, address)
            await asyncio.sleep(0)  # let other tasks remove connections that have ended

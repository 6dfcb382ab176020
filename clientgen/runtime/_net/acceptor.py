"""Accepts the connections of a listening socket, on an event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

__all__ = ["Acceptor"]

_STEPS: Final = 5  # of the event loop, until what was accepted is known to its owner
_PAUSE: Final = 1.0  # after an accept that failed, for example for want of file descriptors


class Acceptor:
    """Accepts connections until the stop.

    asyncio's servers do not tell who connects before the end of a TLS handshake. Without file
    descriptors, they log a traceback for each of hundreds of attempts.

    Args:
        sock: The listening socket; it is closed at the stop.
        admit: Takes an accepted socket, and the address of the other side.
        complain: Is told why connections cannot be accepted; once, until they can again.
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
        """Begin to accept, in a task of this name."""
        self._task = asyncio.create_task(self._accept(), name=name)

    async def stop(self) -> None:
        """Accept no more, once everything that was accepted is admitted."""
        assert self._task is not None
        self._is_stopping = True
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().remove_reader(self._sock)
        try:
            for _ in range(_STEPS):
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
                await asyncio.sleep(_PAUSE)
                continue
            has_failed = False
            self._admit(sock, address)
            await asyncio.sleep(0)  # the ends of others make room

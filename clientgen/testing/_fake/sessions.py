"""WebSockets of the test server whose other side is a function in a thread."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from .._apiserver.responses.answers import Upgrade

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MOST_WAITING", "Input", "Session"]

MOST_WAITING: Final = 1 << 20
"""The most bytes that wait to be read, in either direction."""


class Session(Upgrade):
    """Messages to and from a client. Functions in threads send; whoever drives the server takes.

    Attributes:
        changed: Wakes threads that wait for the client.
    """

    def __init__(self, subprotocol: str) -> None:
        self.subprotocol = subprotocol
        self.changed = threading.Condition()
        self._wake: Callable[[], None] | None = None
        self._out: deque[bytes] = deque()
        self._waiting = 0
        self._is_over = self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the client is gone. Writing then raises BrokenPipeError."""
        return self._is_closed

    # ---- for the server -----------------------------------------------------------------------

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Begin."""
        self._wake = wake
        self.begin()

    def begin(self) -> None:
        """Start the functions."""
        raise NotImplementedError

    def take(self) -> list[bytes] | None:
        """Return the messages for the client that are ready, or None at the end."""
        with self.changed:
            if self._is_over and not self._out:
                return None
            taken = [*self._out]
            self._out.clear()
            self._waiting = 0
            self.changed.notify_all()
            return taken

    def close(self) -> None:
        """Note that the client is gone."""
        with self.changed:
            self._is_closed = True
            self._out.clear()
            self.changed.notify_all()

    # ---- for the functions --------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send a message to the client, and wait while it does not read.

        Raises:
            BrokenPipeError: The client is gone.
        """
        with self.changed:
            self.changed.wait_for(lambda: self._is_closed or self._waiting < MOST_WAITING)
            if self._is_closed:
                raise BrokenPipeError("the client is gone")
            self._out.append(data)
            self._waiting += len(data)
        self.wake()

    def post(self, data: bytes) -> None:
        """Send a message that the driver makes, without waiting."""
        with self.changed:
            if not self._is_closed:
                self._out.append(data)
        self.wake()

    def finish(self, *last: bytes) -> None:
        """Send the last messages, and end the connection."""
        with self.changed:
            if not self._is_closed:
                self._out.extend(last)
            self._is_over = True
        self.wake()

    def wake(self) -> None:
        """Have the driver look."""
        if self._wake is not None:
            self._wake()


class Input:
    """Bytes from a client. They end when it closes them, or is gone."""

    def __init__(self, session: Session, *, is_open: bool = True) -> None:
        self._session = session
        self._changed = session.changed
        self._data = bytearray()
        self._is_open = is_open

    @property
    def waiting(self) -> int:
        """How many bytes were not read yet."""
        return len(self._data)

    def read(self, size: int = -1) -> bytes:
        """Wait for so many bytes, or for the end (-1), and return them; empty at the end."""
        with self._changed:
            if size < 0:
                parts = bytearray()
                while self._is_open or self._data:
                    self._changed.wait_for(lambda: self._data or not self._is_open)
                    parts += self._take(len(self._data))
                return bytes(parts)
            self._changed.wait_for(lambda: len(self._data) >= size or not self._is_open)
            return self._take(size)

    def read1(self, size: int = -1) -> bytes:
        """Wait for some bytes, and return those that are there (-1) or so many at most.

        The result is empty at the end.
        """
        with self._changed:
            if size:
                self._changed.wait_for(lambda: self._data or not self._is_open)
            return self._take(len(self._data) if size < 0 else size)

    def readline(self) -> bytes:
        """Wait for a line, and return it with its end; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: b"\n" in self._data or not self._is_open)
            end = self._data.find(b"\n") + 1
            return self._take(end or len(self._data))

    def feed(self, data: bytes) -> None:
        """Take what the client sends."""
        with self._changed:
            if self._is_open:
                self._data += data
                self._changed.notify_all()

    def end(self) -> None:
        """Note that nothing more comes."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._data[:size])
        del self._data[:size]
        self._session.wake()
        return taken

"""WebSockets of the test server. Functions in threads serve the WebSockets."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from .._apiserver.responses.answers import Upgrade

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BUFFERED_BYTES: Final = 1 << 20
"""The maximum number of unread bytes in each direction."""


class Session(Upgrade):
    """Messages to and from a client. Functions send messages; the transport takes the messages.

    Attributes:
        changed: notified when messages were taken or received, or the client has disconnected.
    """

    def __init__(self, subprotocol: str) -> None:
        self.subprotocol = subprotocol
        self.changed = threading.Condition()
        self._wake: Callable[[], None] | None = None
        self._outgoing: deque[bytes] = deque()
        self._buffered_bytes = 0
        self._is_finished = self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the client has disconnected. Writing then raises BrokenPipeError."""
        return self._is_closed

    # ---- for the server -----------------------------------------------------------------------

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Register the function that wakes the transport, and start."""
        self._wake = wake
        self.begin()

    def begin(self) -> None:
        """Start the functions."""
        raise NotImplementedError

    def take(self) -> list[bytes] | None:
        """Return the messages that are ready for the client; None at the end."""
        with self.changed:
            if self._is_finished and not self._outgoing:
                return None
            taken = [*self._outgoing]
            self._outgoing.clear()
            self._buffered_bytes = 0
            self.changed.notify_all()
            return taken

    def close(self) -> None:
        """Note that the client has disconnected."""
        with self.changed:
            self._is_closed = True
            self._outgoing.clear()
            self.changed.notify_all()

    # ---- for the functions --------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send a message to the client. Waits while the client does not read.

        Raises:
            BrokenPipeError: the client has disconnected.
        """
        with self.changed:
            self.changed.wait_for(
                lambda: self._is_closed or self._buffered_bytes < MAX_BUFFERED_BYTES
            )
            if self._is_closed:
                raise BrokenPipeError("the client has disconnected")
            self._outgoing.append(data)
            self._buffered_bytes += len(data)
        self.wake()

    def post(self, data: bytes) -> None:
        """Send a message of the protocol, without waiting."""
        with self.changed:
            if not self._is_closed:
                self._outgoing.append(data)
        self.wake()

    def finish(self, *last: bytes) -> None:
        """Send the last messages, and end the connection."""
        with self.changed:
            if not self._is_closed:
                self._outgoing.extend(last)
            self._is_finished = True
        self.wake()

    def wake(self) -> None:
        """Wake the transport, so that it calls `take`."""
        if self._wake is not None:
            self._wake()


class Input:
    """The bytes from a client. They end when the client closes its input or disconnects."""

    def __init__(self, session: Session, *, is_open: bool = True) -> None:
        self._session = session
        self._changed = session.changed
        self._data = bytearray()
        self._is_open = is_open

    @property
    def buffered_bytes(self) -> int:
        """The number of bytes that were received and not read yet."""
        return len(self._data)

    def read(self, size: int = -1) -> bytes:
        """Wait for `size` bytes, or for all if `size` is -1. Returns fewer bytes at the end."""
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
        """Wait for some bytes. Returns at most `size` bytes, or all if `size` is -1.

        Empty at the end.
        """
        with self._changed:
            if size:
                self._changed.wait_for(lambda: self._data or not self._is_open)
            return self._take(len(self._data) if size < 0 else size)

    def readline(self) -> bytes:
        """Wait for a line, and return it with its newline; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: b"\n" in self._data or not self._is_open)
            end = self._data.find(b"\n") + 1
            return self._take(end or len(self._data))

    def feed(self, data: bytes) -> None:
        """Receive bytes from the client."""
        with self._changed:
            if self._is_open:
                self._data += data
                self._changed.notify_all()

    def end(self) -> None:
        """Note the end of the input."""
        with self._changed:
            self._is_open = False
            self._changed.notify_all()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._data[:size])
        del self._data[:size]
        self._session.wake()
        return taken

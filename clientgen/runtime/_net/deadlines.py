"""Sockets with a deadline for the whole call, for threads.

The timeout of a socket limits a single read: a peer that sends a byte per second can block a caller
forever. These sockets limit every wait to the time until the deadline of the waiting thread, also
inside of TLS handshakes.
"""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from .timed_work import done_within

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

T = TypeVar("T")


class _ThreadDeadline(threading.local):
    moment: float | None = None  # a time of `time.monotonic`


_thread_deadline = _ThreadDeadline()


@contextmanager
def deadline(moment: float | None) -> Generator[None, None, None]:
    """Set the deadline of this thread, a time of `time.monotonic`, in a `with` block.

    An earlier deadline stays in force.
    """
    before = _thread_deadline.moment
    if moment is not None:
        _thread_deadline.moment = moment if before is None else min(moment, before)
    try:
        yield
    finally:
        _thread_deadline.moment = before


def time_left() -> float | None:
    """Return the seconds until the deadline of this thread; None if there is none.

    Raises:
        TimeoutError: the deadline has passed.
    """
    moment = _thread_deadline.moment
    if moment is None:
        return None
    remaining = moment - monotonic()
    if remaining <= 0:
        raise TimeoutError("the deadline has passed")
    return remaining


class _Timed:
    """A mix-in for sockets: the timeout of each wait is at most the time until the deadline."""

    _own_timeout: float | None = None
    _is_shortened = False

    def settimeout(self, value: float | None, /) -> None:
        """Set the timeout of each wait. The deadline may shorten it."""
        self._own_timeout = value
        self._is_shortened = False
        self._set_timeout(value)

    def _set_timeout(self, value: float | None) -> None:
        plain: Any = super()
        plain.settimeout(value)

    def _apply_deadline(self) -> None:
        remaining = time_left()
        if remaining is not None:
            own_timeout = self._own_timeout
            self._set_timeout(remaining if own_timeout is None else min(remaining, own_timeout))
            self._is_shortened = True
        elif self._is_shortened:
            self.settimeout(self._own_timeout)

    def recv(self, *arguments: Any, **keywords: Any) -> Any:
        """Receive some bytes."""
        self._apply_deadline()
        plain: Any = super()
        return plain.recv(*arguments, **keywords)

    def recv_into(self, *arguments: Any, **keywords: Any) -> Any:
        """Receive some bytes into a buffer."""
        self._apply_deadline()
        plain: Any = super()
        return plain.recv_into(*arguments, **keywords)

    def send(self, *arguments: Any, **keywords: Any) -> Any:
        """Send some of the bytes."""
        self._apply_deadline()
        plain: Any = super()
        return plain.send(*arguments, **keywords)

    def sendall(self, *arguments: Any, **keywords: Any) -> Any:
        """Send the bytes."""
        self._apply_deadline()
        plain: Any = super()
        return plain.sendall(*arguments, **keywords)


class TimedSocket(_Timed, socket.socket):
    """A socket whose waits end with the deadline of the thread."""


class TimedTlsSocket(_Timed, ssl.SSLSocket):
    """A TLS socket whose waits end with the deadline of the thread.

    `SSLContext.sslsocket_class = TimedTlsSocket` makes a context create such sockets.
    """

    def do_handshake(self, block: bool = False) -> None:
        """Perform the TLS handshake."""
        try:
            self._apply_deadline()
            super().do_handshake(block)
        except BaseException:  # also KeyboardInterrupt: the caller does not get the socket to close
            self.close()
            raise


def to_timed_socket(plain: socket.socket, timeout: float | None) -> TimedSocket:
    """Move the file descriptor of a socket into a TimedSocket."""
    sock = TimedSocket(plain.family, plain.type, plain.proto, fileno=plain.detach())
    sock.settimeout(timeout)
    return sock


def within_deadline(work: Callable[[], T], discard: Callable[[T], object]) -> T:
    """Call a function that cannot be interrupted, such as a name lookup. Waits until the deadline.

    Args:
        work: the function. It is called in its own thread if this thread has a deadline.
        discard: called with a result that comes after the deadline.

    Raises:
        TimeoutError: the function did not return in time. It continues in its own thread.
    """
    remaining = time_left()
    if remaining is None:
        return work()
    return done_within(remaining, work, discard, name="clientgen-connecting")

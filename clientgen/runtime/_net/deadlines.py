"""Sockets that heed a deadline, for threads: whatever a peer does, a call is over in time.

A socket's own timeout is for one read: a peer that sends a byte a second keeps a caller for ever.
Here every wait of a socket, inside a TLS handshake too, is as long as what is left until the
deadline of the thread that waits.
"""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from .timed_work import done_within

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = [
    "FinalResponse",
    "TimedSocket",
    "TimedTlsSocket",
    "deadline",
    "time_left",
    "timed",
    "within_deadline",
]

T = TypeVar("T")

_INFORMATIONAL, _SWITCHING, _FINAL = 100, 101, 200
# More answers before the answer than anybody sends; Go's client takes five.
_MOST_INFORMATIONAL = 100


class _Current(threading.local):
    moment: float | None = None


_current = _Current()


@contextmanager
def deadline(moment: float | None) -> Generator[None, None, None]:
    """Have waits in this thread end at a moment of the monotonic clock, or an earlier one set."""
    before = _current.moment
    if moment is not None:
        _current.moment = moment if before is None else min(moment, before)
    try:
        yield
    finally:
        _current.moment = before


def time_left() -> float | None:
    """The seconds until this thread's deadline; None without one.

    Raises:
        TimeoutError: it has passed.
    """
    moment = _current.moment
    if moment is None:
        return None
    remaining = moment - monotonic()
    if remaining <= 0:
        raise TimeoutError("the deadline has passed")
    return remaining


class _Timed:
    """The base of sockets with a deadline: the timeout of each wait is the remaining time."""

    _usual: float | None = None
    _is_shortened = False

    def settimeout(self, value: float | None, /) -> None:
        """Limit each wait."""
        self._usual = value
        self._is_shortened = False
        self._limit(value)

    def _limit(self, value: float | None) -> None:
        plain: Any = super()
        plain.settimeout(value)

    def _hurry(self) -> None:
        remaining = time_left()
        if remaining is not None:
            usual = self._usual
            self._limit(remaining if usual is None else min(remaining, usual))
            self._is_shortened = True
        elif self._is_shortened:
            self.settimeout(self._usual)

    def recv(self, *arguments: Any, **named: Any) -> Any:
        """Receive some bytes."""
        self._hurry()
        plain: Any = super()
        return plain.recv(*arguments, **named)

    def recv_into(self, *arguments: Any, **named: Any) -> Any:
        """Receive some bytes into a buffer."""
        self._hurry()
        plain: Any = super()
        return plain.recv_into(*arguments, **named)

    def send(self, *arguments: Any, **named: Any) -> Any:
        """Send some of the bytes."""
        self._hurry()
        plain: Any = super()
        return plain.send(*arguments, **named)

    def sendall(self, *arguments: Any, **named: Any) -> Any:
        """Send the bytes."""
        self._hurry()
        plain: Any = super()
        return plain.sendall(*arguments, **named)


class TimedSocket(_Timed, socket.socket):
    """A socket whose waits end with the deadline of the thread."""


class TimedTlsSocket(_Timed, ssl.SSLSocket):
    """The same under TLS: `SSLContext.sslsocket_class` is where to say it."""

    def do_handshake(self, block: bool = False) -> None:
        """Agree on keys."""
        try:
            self._hurry()
            super().do_handshake(block)
        except BaseException:  # Ctrl-C among them, after which nobody else closes it
            self.close()
            raise


def timed(plain: socket.socket, timeout: float | None) -> TimedSocket:
    """Take a socket over into one that heeds the deadline."""
    made = TimedSocket(plain.family, plain.type, plain.proto, fileno=plain.detach())
    made.settimeout(timeout)
    return made


def within_deadline(work: Callable[[], T], discard: Callable[[T], object]) -> T:
    """Do what cannot be interrupted, such as looking up a name, but wait no longer than allowed.

    Args:
        work: what to do; without a deadline this thread does it.
        discard: what becomes of a result that comes too late.

    Raises:
        TimeoutError: it was not done in time. It goes on in a thread of its own.
    """
    remaining = time_left()
    if remaining is None:
        return work()
    return done_within(remaining, work, discard, name="clientgen-connecting")


class FinalResponse(HTTPResponse):
    """Skips all answers that only announce another one: http.client takes a 103 for the answer.

    RFC 9110, 15.2: a client must be able to parse one or more 1xx responses before a final one.
    """

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(_MOST_INFORMATIONAL):
            plain: Any = super()
            status_line: tuple[str, int, str] = plain._read_status()
            status = status_line[1]
            if not _INFORMATIONAL <= status < _FINAL or status == _SWITCHING:
                return status_line
            self._skip_headers()
        raise HTTPException("too many informational (1xx) responses")

    def _skip_headers(self) -> None:
        for _ in range(_MOST_INFORMATIONAL):
            if self.fp.readline(65537) in {b"\r\n", b"\n", b""}:
                return
        raise HTTPException("too many headers")

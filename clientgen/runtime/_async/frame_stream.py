"""The common part of a watch and a followed log: frames of a stream, until somebody stops it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakMethod

from ..errors import RequestTimeout
from ._primitives import Event, ReadByFor, sleep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, Unpack

    from .._http.call_options import StreamOptions
    from .._http.codec import Framer
    from .._http.request import HttpRequest
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream

__all__ = ["AsyncStoppable"]

_MOST_FRAMES = 500  # of one read, until others run


class AsyncStoppable(ReadByFor):
    """Reads frames from streams, one stream at a time; a subclass says how a stream is cut.

    The iteration ends when it is stopped, by whomever. Use it as a context manager, or call
    `aclose`, where you leave it before its end.
    """

    def __init__(self, rest: AsyncRest, timeout: float | None) -> None:
        self._rest = rest
        self._timeout = timeout
        self._deadline: float | None = None
        self._cancel_alarm: Callable[[], object] = _no_alarm
        self._late = ""
        self._stopped = Event()
        self._stream: AsyncByteStream | None = None
        self._framer: Framer | None = None
        self._taken = 0
        self._frames: deque[bytes] = deque()

    def stop(self) -> None:
        """End the iteration at once and without an error.

        Any task may call this, and in the synchronous flavour any thread; there, a connection that
        is just being opened is opened before.
        """
        self._stopped.set()
        self._cancel_alarm()
        if self._stream is not None:
            self._stream.abort()

    async def aclose(self) -> None:
        """Stop, and let go of the connection."""
        self.stop()
        await self._leave_stream()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # A loop that was left by `break` or an exception must not keep its connection.
        if hasattr(self, "_frames"):  # the last that a constructor sets
            self.stop()

    async def _open(
        self, request: HttpRequest, read_timeout: float | None, **options: Unpack[StreamOptions]
    ) -> None:
        """Open the next stream, unless this is stopped before or meanwhile."""
        if self._timeout is not None and self._deadline is None:
            self._deadline = self._rest.clock.monotonic() + self._timeout
            self._cancel_alarm = self._rest.alarm_at(self._deadline, _weakly(self._expire))
        opening = self._rest.stream(request, self._deadline, read_timeout, **options)
        stream = self._stream = await self._stopped.unless(opening)
        if stream is not None:
            self._framer = self._new_framer(stream)
        if self._stopped.is_set():
            await self._leave_stream()

    async def _read_frames(self) -> bool:
        """Read on; gives whether the stream has not ended."""
        assert self._stream is not None
        assert self._framer is not None
        self._framer.check()
        chunk = await self._stream.read()
        self._frames.extend(self._framer.feed(chunk))
        return bool(chunk)

    async def _has_paused(self) -> bool:
        """Let others run now and then; tells whether they did, and may have stopped this."""
        self._taken += 1
        if self._taken <= _MOST_FRAMES:
            return False
        self._taken = 0
        await sleep(0)
        return True

    def _new_framer(self, stream: AsyncByteStream) -> Framer:
        """Return what cuts a stream that was just opened."""
        raise NotImplementedError

    def _last_frame(self) -> bytes:
        """Return what was left when the stream ended, which is nothing after `stop`."""
        return b"" if self._framer is None or self._stopped.is_set() else self._framer.finish()

    async def _leave_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    async def _end(self, request: HttpRequest) -> None:
        """Close after the last line.

        Raises:
            RequestTimeout: it was the deadline that stopped the iteration.
        """
        await self.aclose()
        if self._late:
            why, self._late = self._late, ""
            raise RequestTimeout(f"{request.info}: {why}")

    def _expire(self, why: str) -> None:
        if not self._stopped.is_set():
            self._late = why or "did not finish before the timeout"
        self.stop()


def _no_alarm() -> None:
    """Cancel nothing: no alarm was set."""


def _weakly(method: Callable[[str], object]) -> Callable[[str], object]:
    """Give what calls a method of an object, as long as somebody else has the object.

    An alarm would keep a watch that was left, and that is what closes its connection.
    """
    reference = WeakMethod(method)

    def call(why: str) -> None:
        if (found := reference()) is not None:
            found(why)

    return call

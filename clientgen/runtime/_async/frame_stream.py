"""The base of watches and followed logs: iterates over the frames of a stream until stopped."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING
from weakref import WeakMethod

from .._models.argument_errors import public_attributes
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

_MAX_FRAMES_PER_TURN = 500  # after this many frames, other tasks run


class AsyncStoppable(ReadByFor):
    """Reads frames from streams, one stream at a time. A subclass defines the framer.

    `stop` ends the iteration. If you leave the loop earlier, close the connection: use this object
    as a context manager, or call `aclose`.
    """

    def __init__(self, rest: AsyncRest, timeout: float | None) -> None:
        self._rest = rest
        self._timeout = timeout
        self._deadline: float | None = None
        self._cancel_alarm: Callable[[], object] = _no_alarm
        self._timeout_reason = ""
        self._stopped = Event()
        self._stream: AsyncByteStream | None = None
        self._framer: Framer | None = None
        self._frames_this_turn = 0
        self._frames: deque[bytes] = deque()

    def stop(self) -> None:
        """End the iteration at once and without an error.

        Any task may call this, and in the synchronous flavour any thread. In that flavour, a
        stop while a connection is being opened takes effect when the connection is open.
        """
        self._stopped.set()
        self._cancel_alarm()
        if self._stream is not None:
            self._stream.abort()

    async def aclose(self) -> None:
        """Stop, and close the connection."""
        self.stop()
        await self._close_stream()

    async def __aenter__(self) -> Self:
        return self

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # A loop left by `break` or an exception must not keep its connection open.
        if hasattr(self, "_frames"):  # the constructor has set its last attribute
            self.stop()

    async def _open(
        self, request: HttpRequest, read_timeout: float | None, **options: Unpack[StreamOptions]
    ) -> None:
        """Open the next stream.

        If `stop` is called before or meanwhile, no stream is open afterwards.
        """
        if self._timeout is not None and self._deadline is None:
            self._deadline = self._rest.clock.monotonic() + self._timeout
            self._cancel_alarm = self._rest.alarm_at(self._deadline, _weakly(self._expire))
        opening = self._rest.stream(request, self._deadline, read_timeout, **options)
        stream = self._stream = await self._stopped.run_unless_set(opening)
        if stream is not None:
            self._framer = self._new_framer(stream)
        if self._stopped.is_set():
            await self._close_stream()

    async def _read_frames(self) -> bool:
        """Read the next frames. Returns False at the end of the stream."""
        assert self._stream is not None
        assert self._framer is not None
        self._framer.check()
        chunk = await self._stream.read()
        self._frames.extend(self._framer.feed(chunk))
        return bool(chunk)

    async def _let_others_run(self) -> bool:
        """Let other tasks run after many frames.

        Returns True if they ran and may have called `stop`.
        """
        self._frames_this_turn += 1
        if self._frames_this_turn <= _MAX_FRAMES_PER_TURN:
            return False
        self._frames_this_turn = 0
        await sleep(0)
        return True

    def _new_framer(self, stream: AsyncByteStream) -> Framer:
        """Return the framer of a stream that was just opened."""
        raise NotImplementedError

    def _last_frame(self) -> bytes:
        """Return the incomplete frame at the end of the stream; empty after `stop`."""
        return b"" if self._framer is None or self._stopped.is_set() else self._framer.finish()

    async def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    async def _finish(self, request: HttpRequest) -> None:
        """Close the connection after the last frame.

        Raises:
            RequestTimeout: the deadline has ended the iteration.
        """
        await self.aclose()
        if self._timeout_reason:
            why, self._timeout_reason = self._timeout_reason, ""
            raise RequestTimeout(f"{request.info}: {why}")

    def _expire(self, why: str) -> None:
        if not self._stopped.is_set():
            self._timeout_reason = why or "did not finish before the timeout"
        self.stop()


def _no_alarm() -> None:
    """Do nothing: no alarm was set."""


def _weakly(method: Callable[[str], object]) -> Callable[[str], object]:
    """Return a function that calls a method without keeping its object in memory.

    An alarm with a strong reference would keep an abandoned watch from being collected, and
    collection closes its connection.
    """
    reference = WeakMethod(method)

    def call(why: str) -> None:
        if (found := reference()) is not None:
            found(why)

    return call

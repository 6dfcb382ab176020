"""`AsyncWebSocket`: messages in both directions over a connection to the API server."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .._streams.websocket_protocol import Frames
from ..errors import ClientError, ConnectionLost
from ._primitives import Event, Lock, short_lock, sleep

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ..errors import RequestInfo
    from .transport_protocol import AsyncDuplexStream

__all__ = ["AsyncWebSocket"]

# A read may have a frame in every two bytes. Others run after so many frames, or twice as many.
_MOST_FRAMES = 500

# How long a server that does not read is waited for at the end, in seconds.
_FAREWELL = 1.0


class AsyncWebSocket:
    """An open WebSocket. It is a context manager.

    One caller may receive while others send. In `WebSocket`, these are threads.

    Attributes:
        subprotocol: What both sides speak.
    """

    def __init__(self, stream: AsyncDuplexStream, subprotocol: str, info: RequestInfo) -> None:
        self.subprotocol = subprotocol
        self._stream = stream
        self._info = info
        self._frames = Frames()
        self._using = short_lock()
        self._writing = Lock()
        self._messages: deque[bytes] = deque()
        self._unread = memoryview(b"")
        self._paused_at = 0
        self._aborted = Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.subprotocol!r} of {self._info}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def receive(self) -> bytes | None:
        """Return the next message, text as UTF-8; None after the end, and after `abort`.

        Raises:
            ConnectionLost: The connection broke, or the server ended it with an error.
        """
        while not self._messages:
            if self._aborted.is_set():
                return None
            if self._frames.is_over:
                self._check_end()
                return None
            if not self._unread:
                self._unread = memoryview(await self._stream.read())
                if self._aborted.is_set():  # meanwhile
                    return None
                if not self._unread:
                    what = "the connection was closed without a farewell"
                    raise ConnectionLost(f"{self._info}: {what}")
            piece, self._unread = self._frames.split_frames(self._unread, _MOST_FRAMES)
            with self._using:
                self._messages.extend(self._frames.receive(piece))
            del piece  # who waits for more does not keep it
            if self._frames.has_answers and not self._unread:
                await self._reply()
            if self._frames.received - self._paused_at >= _MOST_FRAMES:
                self._paused_at = self._frames.received
                await sleep(0)
        return self._messages.popleft()

    async def send(self, message: bytes | str) -> None:
        """Send a message, binary or text, and wait while the server does not take it.

        Raises:
            ConnectionLost: The connection broke, or is closed.
        """
        async with self._writing:
            try:
                with self._using:
                    self._frames.send(message)
            except ConnectionError as error:
                why = self._frames.close_reason or str(error)
                raise ConnectionLost(f"{self._info}: {why}") from None
            await self._flush()

    def abort(self) -> None:
        """Make `receive` return None and `send` fail, from any other task or thread."""
        self._aborted.set()
        self._stream.abort()

    async def aclose(self) -> None:
        """Close the connection. What the server still sends is lost.

        What was sent has a second to leave.
        """
        try:
            if not self._aborted.is_set() and await self._writing.enter_if_free():
                try:
                    with self._using:
                        self._frames.close()
                    await self._stream.write(self._take(), _FAREWELL)
                finally:
                    await self._writing.__aexit__(None, None, None)
        except ClientError:  # it is closed anyway
            pass
        finally:
            self._aborted.set()
            await self._stream.aclose()

    async def _reply(self) -> None:
        """Answer pings, unless somebody sends, who then does it.

        Who receives must not wait for who sends: the server may read on only after it was read.
        """
        if await self._writing.enter_if_free():
            try:
                await self._flush()
            except ConnectionLost:  # the server may close before it hears our farewell
                pass
            finally:
                await self._writing.__aexit__(None, None, None)

    async def _flush(self) -> None:
        while data := self._take():
            await self._stream.write(data)

    def _take(self) -> bytes:
        with self._using:
            return self._frames.take()

    def _check_end(self) -> None:
        if ending := self._frames.close_reason:
            raise ConnectionLost(f"{self._info}: the server closed the connection: {ending}")

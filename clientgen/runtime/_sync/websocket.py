# Derived from _async/websocket.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`WebSocket`: messages in both directions over a connection to the API server."""

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
    from .transport_protocol import DuplexStream

# A read may contain a frame in every two bytes. Other tasks run after at most twice this many
# frames.
_MAX_FRAMES_PER_TURN = 500

# How long `close` waits for a server that does not read.
_CLOSE_TIMEOUT_SECONDS = 1.0


class WebSocket:
    """An open WebSocket. Use it as a context manager.

    One task may receive while others send. For `WebSocket`, the same holds for threads.

    Attributes:
        subprotocol: The negotiated subprotocol; empty without a subprotocol.
    """

    def __init__(self, stream: DuplexStream, subprotocol: str, info: RequestInfo) -> None:
        self.subprotocol = subprotocol
        self._stream = stream
        self._info = info
        self._frames = Frames()
        self._frames_lock = short_lock()
        self._write_lock = Lock()
        self._messages: deque[bytes] = deque()
        self._unread = memoryview(b"")
        self._paused_at = 0
        self._aborted = Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.subprotocol!r} of {self._info}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def receive(self) -> bytes | None:
        """Return the next message, with text as UTF-8; None at the end, and after `abort`.

        Raises:
            ConnectionLost: The connection broke, or the server closed it with an error.
        """
        while not self._messages:
            if self._aborted.is_set():
                return None
            if self._frames.is_over:
                self._check_end()
                return None
            if not self._unread:
                self._unread = memoryview(self._stream.read())
                if self._aborted.is_set():  # `abort` was called during the read
                    return None
                if not self._unread:
                    what = "the connection was closed without a close frame"
                    raise ConnectionLost(f"{self._info}: {what}")
            piece, self._unread = self._frames.split_frames(self._unread, _MAX_FRAMES_PER_TURN)
            with self._frames_lock:
                self._messages.extend(self._frames.receive(piece))
            del piece  # frees the memory before the next read
            if self._frames.has_answers and not self._unread:
                self._reply()
            if self._frames.received - self._paused_at >= _MAX_FRAMES_PER_TURN:
                self._paused_at = self._frames.received
                sleep(0)
        return self._messages.popleft()

    def send(self, message: bytes | str) -> None:
        """Send a binary or text message. Waits while the server does not read.

        Raises:
            ConnectionLost: The connection broke, or is closed.
        """
        with self._write_lock:
            try:
                with self._frames_lock:
                    self._frames.send(message)
            except ConnectionError as error:
                why = self._frames.close_reason or str(error)
                raise ConnectionLost(f"{self._info}: {why}") from None
            self._flush()

    def abort(self) -> None:
        """Make `receive` return None and `send` fail. Any task or thread may call this."""
        self._aborted.set()
        self._stream.abort()

    def close(self) -> None:
        """Close the connection. Messages that were not received yet are lost.

        Waits up to a second until all sent messages are written to the network.
        """
        try:
            if not self._aborted.is_set() and self._write_lock.enter_if_free():
                try:
                    with self._frames_lock:
                        self._frames.close()
                    self._stream.write(self._take(), _CLOSE_TIMEOUT_SECONDS)
                finally:
                    self._write_lock.__exit__(None, None, None)
        except ClientError:  # the connection is lost already
            pass
        finally:
            self._aborted.set()
            self._stream.close()

    def _reply(self) -> None:
        """Send pongs. If another task is sending, that task sends the pongs, too.

        The receiver must not wait for a sender: a server may read only after its messages are
        received, so waiting could be a deadlock.
        """
        if self._write_lock.enter_if_free():
            try:
                self._flush()
            except ConnectionLost:  # the server may close before it reads the close frame
                pass
            finally:
                self._write_lock.__exit__(None, None, None)

    def _flush(self) -> None:
        while data := self._take():
            self._stream.write(data)

    def _take(self) -> bytes:
        with self._frames_lock:
            return self._frames.take()

    def _check_end(self) -> None:
        if ending := self._frames.close_reason:
            raise ConnectionLost(f"{self._info}: the server closed the connection: {ending}")

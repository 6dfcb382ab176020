"""Network faults: truncated responses, cut streams and duplicated events.

The server itself has no faults. If a stream raises `ConnectionCut`, its transport breaks the
connection, as if a cable had been pulled. The HTTP frontend resets the socket.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from .._apiserver.responses.answers import Deferred, Response, Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from clientgen.runtime._clock import Clock

    from .._apiserver.responses.answers import Answer, Headers
    from .._apiserver.webhook_calls import WebhookCall
    from .actions import Action

_DEFAULT_WATCH_BYTES: Final = 512
_MAX_WATCH_BYTES: Final = 4096


class ConnectionCut(Exception):  # noqa: N818 - an event, not a defect
    """The connection breaks here."""


@dataclass(slots=True)
class CutResponse(Response):
    """A truncated response: `sent` bytes of its body; None if not even the status line is sent."""

    sent: int | None = None


def cut_response(response: Response, sent: int | None) -> CutResponse:
    """Truncate a response."""
    return CutResponse(response.status, response.body, response.headers, sent)


def cut(answer: Answer, after: int | Random | None) -> Answer:
    """Truncate any response after this many bytes, or after a random number of bytes."""
    if isinstance(answer, Response):
        size = len(answer.body)
        return cut_response(answer, _chosen_size(after, size // 2, size))
    if isinstance(answer, OpenStream):
        answer.cut_after = _chosen_size(after, _DEFAULT_WATCH_BYTES, _MAX_WATCH_BYTES)
    return answer


def _chosen_size(after: int | Random | None, default: int, most: int) -> int:
    if after is None:
        return default
    return after if isinstance(after, int) else after.randrange(most + 1)


def delayed(clock: Clock, seconds: float, proceed: Callable[[], Answer]) -> Deferred:
    """Delay a request: the server receives it after `seconds` of the clock."""
    deadline = clock.monotonic() + seconds

    def resume() -> Answer:
        if clock.monotonic() < deadline:
            return Deferred(deadline, resume, _ignore_wake)
        return proceed()

    return Deferred(deadline, resume, _ignore_wake)


def _ignore_wake(_: Callable[[], None]) -> None:
    """Do nothing: only the deadline ends the wait."""


def afterwards(answer: Answer, change: Callable[[Answer], Answer]) -> Answer:
    """Change a response after the server has created it, or when a deferred response is ready."""
    if not isinstance(answer, Deferred):
        return change(answer)
    deferred = answer
    return replace(deferred, resume=lambda: afterwards(deferred.resume(), change))


class OpenStream(Stream):
    """A stream of the server that faults can change or break.

    Callers must hold the cluster's lock.

    Attributes:
        action: the request of the stream.
        cut_after: how many more bytes are sent before the connection breaks; None for no limit.
    """

    def __init__(
        self,
        stream: Stream,
        action: Action | None,
        change: Callable[[OpenStream, bytes], bytes],
        forget: Callable[[OpenStream], object],
    ) -> None:
        self.status = stream.status
        self.headers: Headers = stream.headers
        self.action = action
        self.cut_after: int | None = None
        self._stream = stream
        self._change = change
        self._forget = forget
        self._wake: Callable[[], None] | None = None
        self._last = b""

    @property
    def deadline(self) -> float | None:
        """The time at which `take` returns bytes without any further event."""
        return self._stream.deadline

    def take(self) -> bytes | None:
        """Return the bytes that are ready; empty if no bytes are ready yet, None at the end.

        Raises:
            ConnectionCut: the connection breaks here.
        """
        if self.cut_after == 0:
            self.close()
            raise ConnectionCut
        if self._last:
            data, self._last = self._last, b""
            return data
        chunk = self._stream.take()
        if chunk is None:
            self._forget(self)
        if not chunk:
            return chunk
        return self._until_cut(self._change(self, chunk))

    def _until_cut(self, data: bytes) -> bytes:
        if self.cut_after is None:
            return data
        data = data[: self.cut_after]
        self.cut_after -= len(data)
        return data

    @property
    def calls(self) -> Sequence[WebhookCall]:
        """The webhook calls that the next bytes depend on."""
        return self._stream.calls

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever `take` may return new bytes."""
        self._wake = wake
        self._stream.on_ready(wake)

    def close(self) -> None:
        """Note that the client has disconnected."""
        self._forget(self)
        self._stream.close()

    # ---- faults -------------------------------------------------------------------------------

    def drop(self) -> None:
        """Break the connection. Bytes that were not taken yet are lost."""
        self.cut_after = 0
        self._call_wake()

    def end(self, last: bytes = b"") -> None:
        """End the stream properly, after the bytes that are ready and `last`."""
        self._stream.close()
        self._last = (self._stream.take() or b"") + last
        self._call_wake()

    def _call_wake(self) -> None:
        if self._wake is not None:
            self._wake()

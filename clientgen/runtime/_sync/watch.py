# Derived from _async/watch.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Watch`: an iterator of events that continues across connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._clock import SYSTEM_CLOCK
from .._http.codec import FrameError
from .._http.representations import asking_for, check_representation
from .._http.request import WATCH, build
from .._http.watch_progress import WatchProgress
from .._models.unstructured import Object
from ..errors import ClientError, ConnectionLost
from .frame_stream import Stoppable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from .._http.codec import Codec, Framer
    from .._http.shard_filter import ShardFilter
    from .._models.model_codec import WatchEvent
    from .rest import Rest
    from .transport_protocol import ByteStream

T = TypeVar("T", bound=Object)


class Watch(Stoppable, Generic[T]):
    """An iterator of changes to the objects of a collection.

    When a connection ends or breaks, the watch resumes from the last version over a new connection,
    so no event is missed. The watch ends when `stop` is called or `timeout_seconds` have passed. If
    it cannot resume, it raises an error: Expired if the version is too old, or the connection's
    error if the connection broke before any version was known. The request is sent when the first
    event is requested.
    """

    def __init__(self, rest: Rest, path: str, model: type[T], options: Mapping[str, Any]) -> None:
        super().__init__(rest, options.get("timeout"))
        self._path = path
        self._model = model
        self._request = build("GET", path, options, WATCH)
        self._progress = WatchProgress(options, self._request.info)
        self._codec: Codec = rest.codec
        self._shard: ShardFilter | None = None
        if options.get("shard_selector") is not None:
            from .._http.shard_filter import ShardFilter as Filter  # imported late: rarely used

            self._shard = Filter(options["shard_selector"], rest.shared, self._request.info)

    @property
    def resource_version(self) -> str:
        """The last version that is safe to resume from; empty before any version is known."""
        return self._progress.version

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> WatchEvent[T]:
        while not self._stopped.is_set():
            problem: ClientError | None = None
            try:
                if self._frames:
                    if self._let_others_run():
                        continue
                    event = self._codec.decode_event(self._frames.popleft(), self._model)
                    if self._progress.take(event) and self._is_in_shard(event):
                        check_representation(event.object, self._model, self._request.info)
                        return event
                    continue
                if self._read_more():
                    continue
            except ClientError as error:
                problem = error
            self._handle_end(problem)
        self._finish(self._request)
        raise StopIteration

    def _is_in_shard(self, event: WatchEvent[T]) -> bool:
        return self._shard is None or event.type == "BOOKMARK" or self._shard.has(event.object)

    def _read_more(self) -> bool:
        """Open a connection, or read from it. Returns False at the end of a connection."""
        if self._stream is None:
            options, read_timeout = self._progress.next_stream(self._rest.clock.monotonic())
            request = build("GET", self._path, options, WATCH)
            asking_for(self._model, request, self._rest.codec)
            can_resume = self._progress.can_resume
            self._open(request, read_timeout, is_watch=True, can_resume=can_resume)
            self._progress.opened(self._rest.clock.monotonic())
            return True
        bookmarks = self._progress.bookmarks
        if bookmarks.has_come:
            self._rest.limit_silence(self._stream, bookmarks.note(self._rest.clock.monotonic()))
        try:
            if self._read_frames():
                return True
            last = self._last_frame()
        except FrameError as error:
            raise ConnectionLost(f"{self._request.info}: {error}") from None
        if last:
            self._frames.append(last)
        return bool(last)

    def _new_framer(self, stream: ByteStream) -> Framer:
        self._codec = self._rest.codec.for_answer(stream.headers)
        return self._codec.new_framer()

    def _handle_end(self, error: ClientError | None) -> None:
        """Handle the end of a connection: reconnect later, end the iteration, or raise an error."""
        self._close_stream()
        self._frames.clear()
        if self._stopped.is_set():
            return  # `stop` ended the connection
        try:
            delay = self._progress.ended(error, self._rest.clock.monotonic())
        except ClientError:
            self.close()
            raise
        if delay is None:
            self._stopped.set()
        elif delay and self._rest.pause(self._stopped, SYSTEM_CLOCK, delay, error):
            self._progress.recovered()

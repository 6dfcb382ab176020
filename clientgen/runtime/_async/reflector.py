"""Keeps a copy of a collection up to date by lists and watches, as `reflector_state` decides."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .._cache.feature_gates import is_enabled
from .._cache.fill import Fill
from .._cache.keys import meta_namespace_key
from .._cache.reflector_state import (
    Listing,
    Pause,
    ReflectorState,
    Step,
    StreamAction,
    Streaming,
    is_too_large,
)
from .._cache.sync_errors import NO_ANSWER, READING, reading
from .._cache.watch_gap import WatchGap
from .._http import paging
from .._http.codec import FrameError
from .._http.json_codec import JsonCodec
from .._http.list_parts import decode_in_parts
from .._http.representations import asking_for
from .._http.request import LIST, WATCH, HttpResponse, build
from .._http.retry import Retry
from .._models.gc_pause import GcPaused
from ..errors import ApiError, ConnectionLost, Expired, Gone, RequestTimeout, TransportError
from ._primitives import Event, from_any_thread, sleep, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .._cache.storage import Storage
    from .._clock import Clock
    from .._http.codec import Codec, Framer
    from .._http.request import HttpRequest
    from .._models.meta_v1 import ListMeta, ModelList
    from .._models.model_codec import WatchEvent
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream

Entry = TypeVar("Entry")

# A server ends a list after a minute (kube-apiserver --request-timeout), and answers a watch within
# seconds. A list that takes longer than the client's silence timeout may have met a dead
# connection: the next list may take twice as long, up to this limit.
_LIST_TIMEOUT_SECONDS = 120.0
_OPEN_TIMEOUT_SECONDS = 60.0
# Only repeated failures lead to pauses of this length, which are logged as warnings.
_LONG_PAUSE_SECONDS = 10.0
# Initial events are decoded in blocks of this size. Decoding single events takes longer, and does
# not share equal managed fields of neighbours. Larger blocks do not fit into the CPU's caches.
_BLOCK_BYTES = 1 << 19

logger = logging.getLogger("clientgen.runtime.informers")


class Sink(Protocol[Entry]):
    """The store that a reflector keeps up to date; `_cache/storage` explains items and entries."""

    def needs_latest(self) -> bool:
        """Return whether the next list must be the latest state, not a state from a cache."""
        ...

    def list_begins(self, *, latest: bool) -> Fill[Entry]:
        """Note that a list begins. `latest` is whether the list is the latest state.

        Returns what collects the items of the list.
        """
        ...

    def replace(self, fill: Fill[Entry], version: str, /) -> None:
        """Replace the whole collection by its state at a version."""
        ...

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Apply events in their order, including bookmarks. The object of each event is an item."""
        ...

    async def failed(self, error: Exception) -> None:
        """Note that a list or a watch has failed. The reflector tries again."""
        ...


class AsyncReflector(Generic[Entry]):
    """Lists and watches a collection until stopped. Lists again when the watch cannot continue.

    client-go: tools/cache/reflector.go.

    Args:
        rest: The client for requests.
        path: The path of the collection.
        storage: The representation to request, and the decoder of responses.
        options: The selectors.
        sink: The store that is kept up to date.
        clock: The clock for waits between attempts.
        version: The version to watch from at first; empty to list first.
        deadline: The time of the client's clock at which all requests end.

    Attributes:
        last_answer: The server's last response, as text; or the error, if there was no response.
    """

    def __init__(
        self,
        rest: AsyncRest,
        path: str,
        storage: Storage[Any],
        *,
        options: Mapping[str, Any],
        sink: Sink[Entry],
        clock: Clock,
        version: str = "",
        deadline: float | None = None,
    ) -> None:
        self._rest = rest
        self._path = path
        self._storage = storage
        self._sink = sink
        self._clock = clock
        self.last_answer: Exception | str = NO_ANSWER
        self._list_seconds = min(_LIST_TIMEOUT_SECONDS, rest.silence or _LIST_TIMEOUT_SECONDS)
        self._deadline = deadline
        self._reflecting = ReflectorState(
            options,
            clock.monotonic(),
            watch_list=is_enabled("WatchListClient", default=True),
            page_size=rest.page_size,
            version=version,
            needs_latest=sink.needs_latest,
        )
        self._watch_gap = WatchGap()
        self._stopped = Event()
        self._stream: AsyncByteStream | None = None
        self._codec: Codec = rest.codec
        self._framer: Framer = self._codec.new_framer()
        self._request = build("GET", path, {}, WATCH)
        # The list that is being read, and the number of its objects, if the server has said it.
        self._fill: Fill[Entry] = Fill()
        self._total: int | None = None
        self._is_collecting = False
        self._held_blocks: list[bytes] = []
        self._held_size = 0
        # Why everything is to be read again; None if nothing is.
        self._read_again: Exception | None = None
        self._wake: Callable[[], object] = lambda: None

    @property
    def resource_version(self) -> str:
        """The version of the last list, event or bookmark; empty before the first list."""
        return self._reflecting.version

    @property
    def progress(self) -> Exception | str:
        """The last answer. While a list is read, it says how many objects have been read."""
        if self.last_answer is not READING:
            return self.last_answer
        return reading(len(self._fill.entries), self._total)

    @property
    def seconds_without_watch(self) -> float:
        """For how many seconds there has been no open watch."""
        return self._watch_gap.seconds(self._now())

    async def run(self) -> None:
        """List and watch until `stop` is called."""
        self._wake = from_any_thread(self._end_watch)
        self._watch_gap.begin(self._now())
        step = self._reflecting.begin()
        try:
            while not self._stopped.is_set():
                step = await self._run_step(self._reading_again(step))
        finally:
            await self._close_stream()

    def stop(self) -> None:
        """Make `run` return soon, from any task or thread. Nothing is delivered afterwards."""
        self._stopped.set()
        if self._stream is not None:
            self._stream.abort()

    def read_again(self, error: Exception) -> None:
        """Read all objects again soon, because of an error. Any task or thread may call it."""
        self._read_again = error
        self._wake()

    def _end_watch(self) -> None:
        if self._stream is not None and self._must_end_stream:
            self._stream.abort()

    def _reading_again(self, step: Step) -> Step:
        """Return the step instead of this one, if everything is to be read again."""
        if isinstance(step, Pause) or self._read_again is None:
            return step
        error, self._read_again = self._read_again, None
        if isinstance(step, Listing) or step.initial:
            return step
        return self._reflecting.read_again(error, self._now())

    async def _run_step(self, step: Step) -> Step:
        if isinstance(step, Pause):
            return await self._pause(step)
        if isinstance(step, Listing):
            return await self._list(step)
        return await self._watch(step)

    def _now(self) -> float:
        return self._clock.monotonic()

    def _deadline_in(self, seconds: float) -> float:
        """Return the deadline of a request that begins now."""
        deadline = self._rest.clock.monotonic() + seconds
        return deadline if self._deadline is None else min(deadline, self._deadline)

    async def _pause(self, step: Pause) -> Step:
        if step.failed and step.error is not None:
            await self._sink.failed(step.error)
        else:
            why = step.error or "a watch ended at once"
            # The sink does not log this error.
            is_warning = not self.resource_version or step.seconds >= _LONG_PAUSE_SECONDS
            level = logging.WARNING if is_warning else logging.INFO
            logger.log(level, "%s: %s; retrying in %.1f s", self._path, why, step.seconds)
        is_back = await self._pause_and_log(step.seconds, step.error)
        return self._reflecting.recovered(self._now()) if is_back else self._reflecting.begin()

    async def _pause_and_log(self, seconds: float, error: Exception | None) -> bool:
        """Wait, and log once if there has been no watch for long.

        Returns whether a server that did not respond is back.
        """
        first = self._watch_gap.seconds_until_report(self._now())
        if first is not None and first < seconds:
            if await self._rest.pause(self._stopped, self._clock, first, error):
                return True
            seconds -= first
            if not self._stopped.is_set():
                gap, why = self._watch_gap.report(self._now()), error or self.last_answer
                logger.warning(
                    "%s: there has been no watch for %.0f s, so the cache may be out of date: %s",
                    self._path,
                    gap,
                    why,
                )
        return await self._rest.pause(self._stopped, self._clock, seconds, error)

    # ---- lists --------------------------------------------------------------------------------

    async def _list(self, step: Listing) -> Step:
        if self._rest.is_mute:  # a list could take two minutes to fail
            self.last_answer = ConnectionLost(f"{self._request.info}: the server does not answer")
            return self._reflecting.list_failed(self.last_answer, self._now())
        try:
            fill, version, pages = await self._read_pages(step.options)
            if not self._stopped.is_set():
                with GcPaused():
                    self._sink.replace(fill, version)
        except Exception as error:  # noqa: BLE001 - the reflector tries again after any error
            self.last_answer = error
            return self._reflecting.list_failed(error, self._now())
        finally:
            self._fill = Fill()
        return self._reflecting.listed(step, version, pages)

    def _begin_list(self, options: Mapping[str, Any]) -> Fill[Entry]:
        self._total = None
        self._fill = self._sink.list_begins(latest=not options["resource_version"])
        return self._fill

    async def _read_pages(self, options: Mapping[str, Any]) -> tuple[Fill[Entry], str, int]:
        """Read all objects. Return their entries, their version and the number of pages.

        If the list expires between two pages, all objects are read again in one request, as
        client-go's pager does.
        """
        fill = self._begin_list(options)
        pages, following, tokens = 0, options, paging.Tokens()
        while not self._stopped.is_set():
            try:
                metadata = await self._read_page(following)
            except Expired:
                if not pages:
                    raise
                fill, pages = self._begin_list(options), 0
                following = {name: options[name] for name in options if name != "limit"}
                continue
            if metadata is None:
                break
            pages += 1
            if not metadata.continue_:
                return fill, metadata.resource_version, pages
            left: object = metadata.remaining_item_count
            self._total = len(fill.entries) + left if isinstance(left, int) else None
            token = tokens.check(metadata.continue_, self._path)
            following = paging.next_page(options, token, self._rest.page_size)
        raise ConnectionLost(
            f"{self._request.info}: the informer was stopped in the middle of a list"
        )

    async def _read_page(self, options: Mapping[str, Any]) -> ListMeta | None:
        """Read a page and add its items. Return its metadata; None if the reflector is stopped."""
        request = build("GET", self._path, options, LIST)
        asking_for(self._storage.list_model, request, self._rest.codec)
        response = await self._stopped.run_unless_set(self._send(request))
        metadata = None
        for part in () if response is None else self._parts_of(response, request):
            self.last_answer = READING
            for item in part.items:
                self._fill.add(item)
            metadata = part.metadata
            await sleep(0)  # other tasks run
            if self._stopped.is_set():
                return None
        return metadata

    def _parts_of(self, response: HttpResponse, request: HttpRequest) -> Iterable[ModelList[Any]]:
        codec, storage, headers = self._rest.codec, self._storage, response.headers

        def read(body: bytes) -> ModelList[Any]:
            return storage.read_page(HttpResponse(response.status, headers, body), request, codec)

        if isinstance(codec.for_answer(headers), JsonCodec):
            return decode_in_parts(response.body, read)
        return (read(response.body),)

    async def _send(self, request: HttpRequest) -> HttpResponse:
        """Send a request, and repeat it if the server asks for a retry. `stop` ends the waits."""
        retry = Retry("GET")
        while True:
            try:
                deadline = self._deadline_in(self._list_seconds)
                return await self._rest.send(request, deadline, max_retries=0)
            except (ApiError, TransportError) as error:
                if isinstance(error, RequestTimeout):
                    self._list_seconds = min(_LIST_TIMEOUT_SECONDS, 2 * self._list_seconds)
                delay = _delay(retry, error)
                if delay is None or self._stopped.is_set():
                    raise
            await wait_until(self._stopped, self._clock, self._now() + delay)

    # ---- streams ------------------------------------------------------------------------------

    async def _watch(self, step: Streaming) -> Step:
        problem: Exception | None = None
        self._is_collecting = step.initial
        if step.initial:
            self._begin_list(step.options)
        try:
            await self._open(step)
            try:
                while not self._must_end_stream and await self._read_events():
                    pass
            finally:
                self._process_held_blocks()  # the next step depends on whether there were events
        except Exception as error:  # noqa: BLE001 - the reflector tries again after any error
            problem = self.last_answer = error
        finally:
            self._fill = Fill()
            await self._close_stream()
        after = self._reflecting.stream_ended(problem, self._now())
        if isinstance(after, Listing):
            why = problem or "the stream ended at once"
            logger.info("%s: listing instead of streaming: %s", self._path, why)
        return after

    async def _open(self, step: Streaming) -> None:
        self._request = build("GET", self._path, step.options, WATCH)
        asking_for(self._storage.model, self._request, self._rest.codec)
        deadline = self._deadline_in(_OPEN_TIMEOUT_SECONDS)
        opening = self._rest.stream(
            self._request,
            deadline,
            step.read_timeout,
            max_retries=0,
            is_watch=True,
            can_resume=True,
        )
        self._stream = await self._stopped.run_unless_set(opening)
        if self._stream is not None:
            self._codec = self._rest.codec.for_answer(self._stream.headers)
            self._framer = self._codec.new_framer()
        self._reflecting.opened(self._now())
        self.last_answer = READING
        if self._stream is not None:
            gap = self._watch_gap.end(self._now())
            if gap is not None:
                logger.info("%s: the watch is open again after %.0f s", self._path, gap)

    @property
    def _must_end_stream(self) -> bool:
        return self._stopped.is_set() or (self._read_again is not None and not self._is_collecting)

    async def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        self._watch_gap.begin(self._now())
        if stream is not None:
            await stream.aclose()

    async def _read_events(self) -> bool:
        """Read the next bytes of the watch. Returns False at its end."""
        assert self._stream is not None
        self._framer.check()
        bookmarks = self._reflecting.bookmarks
        if bookmarks.has_come:
            self._rest.limit_silence(self._stream, bookmarks.note(self._now()))
        chunk = await self._stream.read()
        block = self._framer.feed_block(chunk) if chunk else self._last_frame()
        if block:
            self._held_blocks.append(block)
            self._held_size += len(block)
            if (
                not self._is_collecting
                or self._held_size >= _BLOCK_BYTES
                or self._codec.is_urgent(block)
            ):
                self._process_held_blocks()
        return bool(chunk)

    def _last_frame(self) -> bytes:
        """Return the last event if it has no line break at the end of the stream."""
        try:
            return b"" if self._stopped.is_set() else self._framer.finish()
        except FrameError as error:
            raise ConnectionLost(f"{self._request.info}: {error}") from None

    def _process_held_blocks(self) -> None:
        block, self._held_blocks, self._held_size = b"".join(self._held_blocks), [], 0
        if block and not self._stopped.is_set():
            with GcPaused():
                self._process_events(self._storage.read_events(block, self._codec))

    def _process_events(self, events: list[WatchEvent[Any]]) -> None:
        changes: list[WatchEvent[Any]] = []
        take, info = self._reflecting.take, self._request.info
        try:
            for event in events:
                action = take(event, info)
                if action is StreamAction.COLLECT:
                    self._collect(event)
                elif action is StreamAction.COMPLETE:
                    self._complete()
                elif action is StreamAction.APPLY:
                    changes.append(event)
        finally:
            if changes:
                self._sink.apply(changes)

    def _collect(self, event: WatchEvent[Any]) -> None:
        """Collect the object of an initial event."""
        if event.type == "DELETED":
            self._fill.discard(meta_namespace_key(event.object))
        else:
            self._fill.add(event.object)

    def _complete(self) -> None:
        fill, self._fill = self._fill, Fill()
        self._is_collecting = False
        self._sink.replace(fill, self._reflecting.version)


def _delay(retry: Retry, error: ApiError | TransportError) -> float | None:
    """Return the delay before the same page is requested again; None for no retry."""
    if isinstance(error, TransportError):
        return retry.after_error(error, 0.0)
    if is_too_large(error) or isinstance(error, Gone):
        return None
    return retry.after_response(error.code, error.retry_after, 0.0)

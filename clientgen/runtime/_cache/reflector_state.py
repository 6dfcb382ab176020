"""State of a reflector: when to stream, to list, to watch and to wait.

A state machine with the rules of client-go's reflector (tools/cache/reflector.go). A *pass* reads
the whole collection and then watches it (client-go: ListAndWatch)::

    Streaming(initial) ──► the same stream, live ──► Streaming ──► Streaming ...
            │ not possible                               ▲
            └────────────► Listing ──────────────────────┘

After a failed pass, there is a `Pause` and the next pass. This module makes decisions only:
`_async/reflector` executes a step, reports the result, and gets the next step. Times are seconds of
a monotonic clock.
"""

from __future__ import annotations

from enum import Enum
from errno import ECONNREFUSED
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from .._http.bookmark_interval import BookmarkGaps
from .._http.paging import PAGE_SIZE
from .._http.retry import Backoff, default_random
from .._http.server_health import is_outage
from .._http.watch_progress import INITIAL_EVENTS_END, MIN_STREAM_SECONDS, READ_MARGIN_SECONDS
from ..errors import ApiError, Gone, Timeout, TooManyRequests, TransportError, api_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._http.retry import Random
    from .._models.model_codec import WatchEvent
    from ..errors import RequestInfo

FIRST_DELAY_SECONDS = 0.8
MAX_DELAY_SECONDS = 30.0
# The time from one reset of the backoff to the next, not from the last failure.
RESET_INTERVAL_SECONDS = 120.0
# A stream that ends sooner, and has delivered no new version, has failed.
SHORT_STREAM_SECONDS = 1.0

_TOO_LARGE = "Too large resource version"


class Listing(Struct, frozen=True):
    """A step: read the whole collection. `options` are the options of the first page."""

    options: dict[str, Any]


class Streaming(Struct, frozen=True):
    """A step: open a watch and read it.

    With `initial`, the stream begins with all existing objects, up to `StreamAction.COMPLETE`, and
    continues as a watch. A stream without data for `read_timeout` seconds is dead.
    """

    options: dict[str, Any]
    read_timeout: float
    initial: bool = False


class Pause(Struct, frozen=True):
    """A step: wait for this many seconds.

    `error` is the cause; None if a stream ended without an error. `failed` is whether a pass has
    failed, so that the handler of watch errors must be called.
    """

    seconds: float
    error: Exception | None = None
    failed: bool = False


Step: TypeAlias = Listing | Streaming | Pause

_Phase: TypeAlias = Literal["pass", "initial", "watch"]


class StreamAction(Enum):
    """The meaning of an event in a stream."""

    COLLECT = 1
    """Collect the object: it is one of the initial events."""
    COMPLETE = 2
    """The initial events are complete: replace the content of the store by the objects."""
    APPLY = 3
    """Apply the event to the store."""
    IGNORE = 4
    """Ignore the event."""


class ReflectorBackoff:
    """The pauses between passes: 0.8 s, doubled up to 30 s, and multiplied by 1 to 2 at random.

    The pauses are reset two minutes after the last reset (client-go: NewReflectorWithOptions,
    wait.Backoff.DelayWithReset).
    """

    __slots__ = ("_backoff", "_reset_at")

    def __init__(self, now: float, random: Random | None = None) -> None:
        self._backoff = Backoff(FIRST_DELAY_SECONDS, cap=MAX_DELAY_SECONDS, random=random)
        self._reset_at = now

    def delay(self, now: float) -> float:
        """Return the next pause in seconds."""
        if now - self._reset_at > RESET_INTERVAL_SECONDS:
            self.reset(now)
        return self._backoff.delay()

    def reset(self, now: float) -> None:
        """Restart with the first pause."""
        self._backoff.reset()
        self._reset_at = now


class ReflectorState:
    """The state of a reflector, which decides its next step.

    There are two differences from client-go, which prevent endless requests without a pause. In a
    pass, a broken stream of initial events, or an unusable resource version, is retried without a
    pause only once. A short stream is a success only if an event had a new resource version.

    Args:
        options: the selectors of every request.
        now: the time.
        watch_list: whether to request initial events in a stream (client-go: WatchList).
        page_size: the size of the pages of lists.
        version: the resource version of the content of the store, to watch from; empty if the store
            is empty.
        random: returns numbers from 0 to 1, for the length of pauses and streams.
        needs_latest: returns whether the next list has to be the latest state.

    Attributes:
        version: the resource version up to which the store is complete; empty before the first
            list.
        bookmarks: the gaps between bookmarks, which limit how long a stream may be silent.
    """

    __slots__ = (
        "_advanced",
        "_backoff",
        "_has_pages",
        "_has_version",
        "_initial",
        "_is_version_unusable",
        "_needs_latest",
        "_next",
        "_opened",
        "_options",
        "_outage_backoff",
        "_page_size",
        "_random",
        "_retried_in_pass",
        "_watch_list",
        "bookmarks",
        "version",
    )

    def __init__(
        self,
        options: Mapping[str, Any],
        now: float,
        *,
        watch_list: bool = True,
        page_size: int = PAGE_SIZE,
        version: str = "",
        random: Random | None = None,
        needs_latest: Callable[[], bool] = lambda: False,
    ) -> None:
        self.version = version
        self.bookmarks = BookmarkGaps()
        self._options = dict(options)
        self._random = random or default_random()
        # Outages have their own backoff, so that the pauses are short after a server has returned.
        self._backoff = ReflectorBackoff(now, self._random)
        self._outage_backoff = ReflectorBackoff(now, self._random)
        self._watch_list = watch_list
        self._page_size = page_size
        self._needs_latest = needs_latest
        # Whether the server refused the version, so that the latest state must be requested.
        self._is_version_unusable = False
        # Whether the server returns pages even for lists that it could serve from its cache.
        self._has_pages = False
        self._next: _Phase = "watch" if version else "pass"
        self._retried_in_pass = False
        # The state of the current stream:
        self._initial = False
        self._opened: float | None = None
        self._advanced = False
        self._has_version = False

    # ---- passes -------------------------------------------------------------------------------

    def begin(self) -> Step:
        """Return the first step, or the step after a Pause."""
        if self._next == "watch":
            return self._watch()
        if self._next == "pass":
            self._retried_in_pass = False
            if not self._watch_list:
                return self._list()
        return self._stream_initial()

    def _pause(
        self, then: _Phase, error: Exception | None, now: float, *, failed: bool = False
    ) -> Pause:
        self._next = then
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        # A server that accepts a watch, and then breaks the connection, is available.
        is_away = is_outage(error) and self._opened is None
        backoff = self._outage_backoff if is_away else self._backoff
        return Pause(max(backoff.delay(now), float(retry_after or 0)), error, failed)

    def recovered(self, now: float) -> Step:
        """Return the step after a Pause that ended early, because the server is back."""
        self._backoff.reset(now)
        self._outage_backoff.reset(now)
        return self.begin()

    def read_again(self, error: Exception, now: float) -> Step:
        """Return the step that leads to a new pass, because the store is corrupted."""
        return self._pause("pass", error, now)

    @property
    def _is_latest_needed(self) -> bool:
        return self._is_version_unusable or self._needs_latest()

    # ---- lists --------------------------------------------------------------------------------

    def _list(self) -> Listing:
        version = "" if self._is_latest_needed else self.version or "0"
        options = {**self._options, "resource_version": version}
        if version in {"", "0"}:
            options["limit"] = self._page_size
        elif self._has_pages:
            # Without `resource_version_match`, a version and a limit mean exactly this version.
            options |= {"limit": self._page_size, "resource_version_match": "NotOlderThan"}
        return Listing(options)

    def listed(self, step: Listing, version: str, pages: int) -> Step:
        """Note that the collection was read in this many pages, and return the next step."""
        if step.options["resource_version"] == "0" and pages > 1:
            self._has_pages = True
        self._synced(version)
        return self._watch()

    def list_failed(self, error: Exception, now: float) -> Step:
        """Note that the collection could not be read, and return the next step."""
        self._opened = None
        if _is_unusable_version(error) and not self._is_version_unusable:
            self._is_version_unusable = True
            return self._list()
        return self._pause("pass", error, now, failed=True)

    def _synced(self, version: str) -> None:
        self._is_version_unusable = False
        self.version = version

    # ---- streams ------------------------------------------------------------------------------

    def _stream_initial(self) -> Streaming:
        version = "" if self._is_latest_needed else self.version
        options = {"send_initial_events": True, "resource_version_match": "NotOlderThan"}
        return self._stream(options, version, initial=True)

    def _watch(self) -> Streaming:
        return self._stream({}, self.version, initial=False)

    def _stream(self, options: Mapping[str, Any], version: str, *, initial: bool) -> Streaming:
        self._initial = initial
        self._opened = None
        self._advanced = False
        self._has_version = version not in {"", "0"}
        seconds = int(MIN_STREAM_SECONDS * (1.0 + self._random()))
        options = {**self._options, **options, "watch": True, "allow_watch_bookmarks": True}
        options |= {"resource_version": version, "timeout_seconds": seconds}
        return Streaming(options, self.bookmarks.begin(seconds + READ_MARGIN_SECONDS), initial)

    def opened(self, now: float) -> None:
        """Note that the server has accepted the watch."""
        self._opened = now

    def take(self, event: WatchEvent[Any], request: RequestInfo | None = None) -> StreamAction:
        """Note an event, and return what to do with it.

        Raises:
            ApiError: the event is an ERROR, which ends the stream. Pass the error to
                `stream_ended`.
        """
        kind = event.type
        if kind == "ERROR":
            raise api_error(event.object, request)
        metadata = event.object.metadata
        if self._initial:
            return self._take_initial(kind, metadata)
        if kind != "ADDED":
            self._has_version = True
            if kind == "BOOKMARK" and INITIAL_EVENTS_END not in metadata.annotations:
                self.bookmarks.has_come = True
        version: str = metadata.resource_version
        if self._has_version and version and version != self.version:
            self.version = version
            self._advanced = True
        return StreamAction.APPLY if kind in _APPLIED else StreamAction.IGNORE

    def _take_initial(self, kind: str, metadata: Any) -> StreamAction:
        if kind != "BOOKMARK":
            self._advanced = True
            return StreamAction.COLLECT if kind in _CHANGES else StreamAction.IGNORE
        if metadata.annotations.get(INITIAL_EVENTS_END) != "true":
            return StreamAction.IGNORE
        self._initial = False
        self._has_version = self._advanced = True
        self._synced(metadata.resource_version)
        return StreamAction.COMPLETE

    def stream_ended(self, error: Exception | None, now: float) -> Step:
        """Note that a stream ended, broke or could not be opened, and return the next step."""
        if error is not None:
            self.bookmarks.forget()
        if _is_busy(error):
            return self._pause("initial" if self._initial else "watch", error, now)
        # A lost connection is the usual end of a stream, but a connection that could not be opened
        # is a failure (client-go: StreamWatcher.receive).
        is_end = error is None or (isinstance(error, TransportError) and self._opened is not None)
        if self._initial:
            return self._initial_ended(error, now) if is_end else self._initial_failed(error)
        if is_end and not self._was_short(now):
            self._outage_backoff.reset(now)
            return self._watch()
        if is_end:
            return self._pause("pass", error, now)
        return self._pause("pass", error, now, failed=self._opened is None)

    def _initial_ended(self, error: Exception | None, now: float) -> Step:
        """Return the step after a stream that ended before the initial events were complete."""
        if self._was_short(now):
            return self._list()
        if self._retried_in_pass:
            return self._pause("initial", error, now)
        self._retried_in_pass = True
        return self._stream_initial()

    def _initial_failed(self, error: Exception | None) -> Step:
        if _is_unusable_version(error) and not self._is_version_unusable:
            self._is_version_unusable = True
            return self._stream_initial()
        return self._list()

    def _was_short(self, now: float) -> bool:
        seconds = 0.0 if self._opened is None else now - self._opened
        return seconds < SHORT_STREAM_SECONDS and not self._advanced


_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_APPLIED = _CHANGES | {"BOOKMARK"}


def is_too_large(error: Exception | None) -> bool:
    """Return whether the server has not reached the requested resource version yet.

    The response has a Retry-After header. But the version may never come, for example if the server
    was restored from a backup.
    """
    if not isinstance(error, ApiError):
        return False
    if error.has_cause("ResourceVersionTooLarge"):
        return True
    # Servers before 1.17 (apimachinery: IsTooLargeResourceVersionError).
    messages = [error.message, *(cause.message or "" for cause in error.causes)]
    return isinstance(error, Timeout) and any(_TOO_LARGE in message for message in messages)


def _is_unusable_version(error: Exception | None) -> bool:
    return isinstance(error, Gone) or is_too_large(error)


def _is_busy(error: Exception | None) -> bool:
    """Return whether the server refuses connections or is too busy: a retry may succeed."""
    if isinstance(error, TooManyRequests):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno == ECONNREFUSED:
            return True
        cause = cause.__cause__
    return False

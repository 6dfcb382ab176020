"""State of a reflector: when to stream, to list, to watch and to wait.

One state machine with the rules of client-go's reflector (tools/cache/reflector.go). A *pass* reads
the whole collection and then watches it::

    Streaming(initial) ──► the same stream, live ──► Streaming ──► Streaming ...
            │ cannot be had                              ▲
            └────────────► Listing ──────────────────────┘

A pass that fails is followed by a `Pause` and the next pass. Decisions only: the shells in `_async`
and `_sync` do what a step says, tell what came of it, and are given the next step. Times are
seconds of a monotonic clock.

Where client-go would ask again and again without a pause, this does not: see `ReflectorState`.
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

__all__ = [
    "Listing",
    "Pause",
    "ReflectorBackoff",
    "ReflectorState",
    "Step",
    "StreamAction",
    "Streaming",
    "is_too_large",
]

FIRST_DELAY_SECONDS = 0.8
MAX_DELAY_SECONDS = 30.0
# Not since the last failure: since the last time that it was forgotten.
RESET_AFTER_SECONDS = 120.0
# A stream that ends sooner than this and has told nothing is an error, not an end.
SHORT_STREAM_SECONDS = 1.0

_TOO_LARGE = "Too large resource version"


class Listing(Struct, frozen=True):
    """Read the whole collection; `options` are those of the first page."""

    options: dict[str, Any]


class Streaming(Struct, frozen=True):
    """Open a watch and read it.

    With `initial` it begins with every object there is, up to `StreamAction.COMPLETE`, and goes on
    as any other. It is dead when it is silent for `read_timeout` seconds.
    """

    options: dict[str, Any]
    read_timeout: float
    initial: bool = False


class Pause(Struct, frozen=True):
    """Wait for so many seconds, because of `error`; None where a stream told nothing at all.

    `failed` says that a pass has failed, which the program wants to hear of.
    """

    seconds: float
    error: Exception | None = None
    failed: bool = False


Step: TypeAlias = Listing | Streaming | Pause

_Phase: TypeAlias = Literal["pass", "initial", "watch"]


class StreamAction(Enum):
    """The meaning of an event in a stream."""

    COLLECT = 1
    """It belongs to the state that the stream begins with."""
    COMPLETE = 2
    """That state is complete; it replaces everything that was known."""
    APPLY = 3
    """It changes what is known."""
    PASS_OVER = 4
    """It changes nothing."""


class ReflectorBackoff:
    """The pauses between passes: 0.8 s, doubled up to 30 s, each times 1 to 2.

    They start anew two minutes after they last did so (client-go: NewReflectorWithOptions,
    wait.Backoff.DelayWithReset).
    """

    __slots__ = ("_backoff", "_since")

    def __init__(self, now: float, random: Random | None = None) -> None:
        self._backoff = Backoff(FIRST_DELAY_SECONDS, cap=MAX_DELAY_SECONDS, random=random)
        self._since = now

    def delay(self, now: float) -> float:
        """The next pause in seconds."""
        if now - self._since > RESET_AFTER_SECONDS:
            self.reset(now)
        return self._backoff.delay()

    def reset(self, now: float) -> None:
        """Start anew."""
        self._backoff.reset()
        self._since = now


class ReflectorState:
    """The state of a reflector, which decides its next step.

    Stricter than client-go where that would send requests without end and without a pause: a
    stream of initial events that breaks off, or a version that is refused although none was asked
    for, is tried again at once only once in a pass; and only an event that brings a new version
    makes a short stream one that has told something.

    Args:
        options: the selectors, which every request has.
        now: the time.
        watch_list: whether to ask for initial events in a stream at all.
        version: the version of what is known already, to watch from; empty if nothing is.
        random: numbers from 0 to 1, for how long pauses and streams last.
        needs_latest: tells whether the next list has to be the latest state.

    Attributes:
        version: the last resource version that is known, and up to which everything is; empty
            before there is one.
        bookmarks: how long a stream may be silent.
    """

    __slots__ = (
        "_advanced",
        "_backoff",
        "_has_version",
        "_initial",
        "_needs_latest",
        "_next",
        "_opened",
        "_options",
        "_outage",
        "_paged",
        "_random",
        "_retried_in_pass",
        "_unavailable",
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
        version: str = "",
        random: Random | None = None,
        needs_latest: Callable[[], bool] = lambda: False,
    ) -> None:
        self.version = version
        self.bookmarks = BookmarkGaps()
        self._options = dict(options)
        self._random = random or default_random()
        # Two, so that what a server that was away refuses at first does not wait as long as that.
        self._backoff = ReflectorBackoff(now, self._random)
        self._outage = ReflectorBackoff(now, self._random)
        self._watch_list = watch_list
        self._needs_latest = needs_latest
        # Whether the version was refused, so that the most recent state has to be asked for.
        self._unavailable = False
        # Whether the server gives pages even where it could answer from its cache.
        self._paged = False
        self._next: _Phase = "watch" if version else "pass"
        self._retried_in_pass = False
        # Of the stream:
        self._initial = False
        self._opened: float | None = None
        self._advanced = False
        self._has_version = False

    # ---- passes -------------------------------------------------------------------------------

    def begin(self) -> Step:
        """The first step, and the one after a Pause."""
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
        # A server that accepts a watch and breaks it off is there.
        away = is_outage(error) and self._opened is None
        backoff = self._outage if away else self._backoff
        return Pause(max(backoff.delay(now), float(retry_after or 0)), error, failed)

    def recovered(self, now: float) -> Step:
        """The first step after a Pause that was cut short, since the server is back."""
        self._backoff.reset(now)
        self._outage.reset(now)
        return self.begin()

    @property
    def _is_latest_needed(self) -> bool:
        return self._unavailable or self._needs_latest()

    # ---- lists --------------------------------------------------------------------------------

    def _list(self) -> Listing:
        version = "" if self._is_latest_needed else self.version or "0"
        options = {**self._options, "resource_version": version}
        if version in {"", "0"}:
            options["limit"] = PAGE_SIZE
        elif self._paged:
            # A version with a limit alone would mean exactly that version.
            options |= {"limit": PAGE_SIZE, "resource_version_match": "NotOlderThan"}
        return Listing(options)

    def listed(self, step: Listing, version: str, pages: int) -> Step:
        """Note that the collection was read, in so many pages; its objects replace all others."""
        if step.options["resource_version"] == "0" and pages > 1:
            self._paged = True
        self._synced(version)
        return self._watch()

    def list_failed(self, error: Exception, now: float) -> Step:
        """Note that it could not be read."""
        self._opened = None
        if _is_unusable_version(error) and not self._unavailable:
            self._unavailable = True
            return self._list()
        return self._pause("pass", error, now, failed=True)

    def _synced(self, version: str) -> None:
        self._unavailable = False
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
        every = {**self._options, **options, "watch": True, "allow_watch_bookmarks": True}
        every |= {"resource_version": version, "timeout_seconds": seconds}
        return Streaming(every, self.bookmarks.begin(seconds + READ_MARGIN_SECONDS), initial)

    def opened(self, now: float) -> None:
        """Note that the server has accepted the watch."""
        self._opened = now

    def take(self, event: WatchEvent[Any], request: RequestInfo | None = None) -> StreamAction:
        """Note an event; gives what to do with it.

        Raises:
            ApiError: the event is an ERROR, and the stream is over; `stream_ended` takes it.
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
        return StreamAction.APPLY if kind in _APPLIED else StreamAction.PASS_OVER

    def _take_initial(self, kind: str, metadata: Any) -> StreamAction:
        if kind != "BOOKMARK":
            self._advanced = True
            return StreamAction.COLLECT if kind in _CHANGES else StreamAction.PASS_OVER
        if metadata.annotations.get(INITIAL_EVENTS_END) != "true":
            return StreamAction.PASS_OVER
        self._initial = False
        self._has_version = self._advanced = True
        self._synced(metadata.resource_version)
        return StreamAction.COMPLETE

    def stream_ended(self, error: Exception | None, now: float) -> Step:
        """Note that a stream could not be opened, broke, or ended."""
        if error is not None:
            self.bookmarks.forget()
        if _is_busy(error):
            return self._pause("initial" if self._initial else "watch", error, now)
        # A connection that breaks, whether in order or not, is nothing special (client-go:
        # StreamWatcher.receive); one that could not be made is.
        over = error is None or (isinstance(error, TransportError) and self._opened is not None)
        if self._initial:
            return self._initial_over(error, now) if over else self._initial_failed(error)
        if over and not self._was_short(now):
            self._outage.reset(now)
            return self._watch()
        if over:
            return self._pause("pass", error, now)
        return self._pause("pass", error, now, failed=self._opened is None)

    def _initial_over(self, error: Exception | None, now: float) -> Step:
        """The stream ended before the state was complete."""
        if self._was_short(now):
            return self._list()
        if self._retried_in_pass:
            return self._pause("initial", error, now)
        self._retried_in_pass = True
        return self._stream_initial()

    def _initial_failed(self, error: Exception | None) -> Step:
        if _is_unusable_version(error) and not self._unavailable:
            self._unavailable = True
            return self._stream_initial()
        return self._list()

    def _was_short(self, now: float) -> bool:
        lasted = 0.0 if self._opened is None else now - self._opened
        return lasted < SHORT_STREAM_SECONDS and not self._advanced


_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})
_APPLIED = _CHANGES | {"BOOKMARK"}


def is_too_large(error: Exception | None) -> bool:
    """Tell whether the server is not yet as far as the version that was asked for.

    Its answer bears a Retry-After, but that version may never come: the server was set back, say.
    """
    if not isinstance(error, ApiError):
        return False
    if error.has_cause("ResourceVersionTooLarge"):
        return True
    # Servers before 1.17 (apimachinery: IsTooLargeResourceVersionError).
    words = [error.message, *(cause.message or "" for cause in error.causes)]
    return isinstance(error, Timeout) and any(_TOO_LARGE in word for word in words)


def _is_unusable_version(error: Exception | None) -> bool:
    return isinstance(error, Gone) or is_too_large(error)


def _is_busy(error: Exception | None) -> bool:
    """Tell whether the server refuses connections or is too busy: a retry may succeed."""
    if isinstance(error, TooManyRequests):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno == ECONNREFUSED:
            return True
        cause = cause.__cause__
    return False

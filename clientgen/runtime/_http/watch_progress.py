"""Progress of a watch: the version to resume from, the pauses, and the end.

The rules are those of client-go's reflector and retry watcher. `_async/watch` and the reflector
read the bytes, pass the time and wait.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .._models.tables import annotations_of
from ..errors import ApiError, ConnectionLost, Gone, TransportError, api_error
from .bookmark_interval import BookmarkGaps
from .retry import Backoff, default_random

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.model_codec import WatchEvent
    from ..errors import ClientError, RequestInfo
    from .retry import Random

# The shortest timeout of one connection of a watch, in seconds. The longest timeout is twice as
# long.
MIN_STREAM_SECONDS = 300.0
# The server ends a stream at its timeout. A stream that is silent this much longer is dead.
READ_MARGIN_SECONDS = 30.0
# If a stream without events ended sooner than this, the next stream is opened after a pause.
_SHORT_STREAM_SECONDS = 5.0

# A watch may end this long before its timeout, because the clocks of client and server differ.
_CLOCK_SKEW_SECONDS = 0.2

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


class WatchProgress:
    """The progress of a watch.

    A watch without a resource version begins with synthetic ADDED events, whose versions have no
    order. The watch cannot resume from the version of a synthetic event. It can resume from the
    first event of another type, or from a bookmark.

    Attributes:
        request: The method and path, for errors.
        version: The resource version to resume from; empty before there is one.
        bookmarks: The gaps between bookmarks, which limit how long a connection may be silent.
    """

    __slots__ = (
        "_advanced",
        "_backoff",
        "_event_count",
        "_has_version",
        "_opened",
        "_options",
        "_random",
        "_resumes",
        "_until",
        "_wants_bookmarks",
        "bookmarks",
        "request",
        "version",
    )

    def __init__(
        self,
        options: Mapping[str, Any],
        request: RequestInfo,
        *,
        random: Random | None = None,
    ) -> None:
        self._options = options
        self._backoff = Backoff(0.8, random=random)
        self._random = random or default_random()
        self.request = request
        self.version: str = options.get("resource_version") or ""
        self._has_version = self.version not in {"", "0"} and not options.get("send_initial_events")
        self._wants_bookmarks = bool(options.get("bookmarks"))
        self.bookmarks = BookmarkGaps()
        self._until: float | None = None
        self._resumes = False
        self._opened: float | None = None
        self._event_count = 0
        self._advanced = False

    def next_stream(self, now: float) -> tuple[dict[str, Any], float]:
        """Return the options of the next connection, and its read timeout in seconds."""
        limit: int = self._options.get("timeout_seconds") or 0
        if self._until is None and limit:
            self._until = now + limit
        options: dict[str, Any] = {"allow_watch_bookmarks": True, **self._options, "watch": True}
        if "send_initial_events" in options:
            # The only value that the server accepts (Kubernetes API concepts: streaming lists).
            options.setdefault("resource_version_match", "NotOlderThan")
        if self._has_version:
            options["resource_version"] = self.version
        if self._has_version and self._resumes:
            options.pop("send_initial_events", None)
            options.pop("resource_version_match", None)
        seconds = int(MIN_STREAM_SECONDS * (1.0 + self._random()))
        if self._until is not None:
            seconds = max(1, math.ceil(self._until - now))
        options["timeout_seconds"] = seconds
        self._opened = None
        self._event_count = 0
        self._advanced = False
        return options, self.bookmarks.begin(seconds + READ_MARGIN_SECONDS)

    @property
    def can_resume(self) -> bool:
        """Whether a resource version to resume from is known."""
        return self._has_version

    def recovered(self) -> None:
        """Reset the backoff: the server is reachable again."""
        self._backoff.reset()

    def opened(self, now: float) -> None:
        """Record that the server has accepted the watch."""
        self._opened = now
        self._resumes = True

    def take(self, event: WatchEvent[Any]) -> bool:
        """Record an event. Returns whether the caller receives it.

        Raises:
            ApiError: the event is an ERROR. Pass the error to `ended`.
        """
        if event.type == "ERROR":
            raise api_error(event.object, self.request)
        version: str = event.object.metadata.resource_version
        if event.type == "BOOKMARK":
            self._note_bookmark(event.object, version)
            return self._wants_bookmarks
        if event.type != "ADDED":
            self._has_version = True
        if self._has_version and version:
            self._advanced |= version != self.version
            self.version = version
        self._event_count += 1
        return True

    def _note_bookmark(self, obj: object, version: str) -> None:
        """Record the version of a bookmark. During initial events, only the last counts."""
        initial = self._options.get("send_initial_events") and not self._has_version
        is_end = INITIAL_EVENTS_END in annotations_of(obj)
        if not is_end:
            self.bookmarks.has_come = True
        if version and (not initial or is_end):
            self.version, self._has_version = version, True

    def ended(self, error: ClientError | None, now: float) -> float | None:
        """Return the pause before resuming after a connection has ended; None if the watch ends.

        Raises:
            ClientError: `error`, if the watch cannot resume after it; ConnectionLost, if there is
                no resource version to resume from.
        """
        if error is not None:
            self.bookmarks.forget()
        if error is not None and not (self._resumes and is_passing(error)):
            raise error
        if self._until is not None and now >= self._until - _CLOCK_SKEW_SECONDS:
            return None
        if not self._has_version and (error is not None or self._event_count):
            raise error or ConnectionLost(
                f"{self.request}: ended before a resource version to resume from was known"
            )
        return self._delay(error, now)

    def _delay(self, error: ClientError | None, now: float) -> float:
        # Back off if the server repeats the same version or closes at once, as after an error.
        alive = self._opened is not None and (
            self._advanced or now - self._opened >= _SHORT_STREAM_SECONDS
        )
        if alive:
            self._backoff.reset()
        if error is None and alive:
            return 0.0
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        return max(self._backoff.delay(), float(retry_after or 0))


def is_passing(error: Exception) -> bool:
    """Return whether the same watch may succeed when it is repeated."""
    if isinstance(error, ApiError):
        return error.code in {429, 500, 502, 503, 504} and not isinstance(error, Gone)
    return isinstance(error, TransportError) and not isinstance(error, TimeoutError)

"""Watches: what has changed since a version, and what changes from now on.

A stream subscribes to the changes of a collection and keeps the encoded lines until its driver
takes them. It ends by `timeoutSeconds`, by an ERROR event, when somebody cuts it, or when its
client reads so slowly that too much waits for it.

Facts: docs/internals/kubernetes-semantics.md, 1.2 ("Watch").
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery.failures import Failure

from ..feature_gates import SHARDED_LIST_AND_WATCH
from ..requests.request_options import ListOptions, list_options
from ..responses.answers import Stream
from .object_selection import check_fields, selects
from .read_versions import version_number, when_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer, Headers
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change, Collection, Record, Store
    from ..webhook_calls import WebhookCall

BOOKMARK_SECONDS: Final = 60.0
"""The seconds between the bookmarks of a watch."""
LAST_BOOKMARK_SECONDS: Final = 2.0
"""The seconds before its end when a watch gets a bookmark."""
MIN_TIMEOUT_SECONDS: Final = 1800.0
"""A watch without a timeout of its own ends after this long to twice this long."""
MAX_WAITING_BYTES: Final = 32 * 1024 * 1024
"""The most bytes of changes that wait for a slow client before its watch is ended."""

MAX_HELD_CHANGES: Final = 10_000
"""The most changes that wait for a webhook before a watch is ended."""

_INITIAL_END: Final = {"k8s.io/initial-events-end": "true"}


def watch(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """Open a watch.

    Raises:
        Failure: 400 for a table with something unknown beside its cells, 422 for options that do
            not go together, 500 for a version that is no number.
    """
    options = list_options(info.request.query, watch=True)
    if info.watch and info.name:
        options = replace(options, fields=(*options.fields, *_named(info.name)))
    check_fields(rendering.view, options.fields)
    rendering.check()
    options = options.with_shard(enabled=cluster.has_gate(SHARDED_LIST_AND_WATCH))
    version = version_number(options.version)
    store = cluster.store
    collection = store.collection(info.strategy.collection)
    start = _Start(store, collection, rendering, options, info.namespace, cluster.random)
    if not options.initial_events:
        return start.stream(version)
    return when_version(store, version, lambda: start.stream(version), start.refused)


def _named(name: str) -> Any:
    from ..server_selectors import FieldTerm

    return (FieldTerm("metadata.name", name, equal=True),)


@dataclass(frozen=True, slots=True)
class _Start:
    """The state in which a watch begins."""

    store: Store
    collection: Collection
    rendering: Rendering
    options: ListOptions
    namespace: str
    random: Random

    def _new(self) -> WatchStream:
        seconds = self.options.timeout_seconds or 0
        timeout = (
            float(seconds)
            if seconds > 0
            else self.random.uniform(MIN_TIMEOUT_SECONDS, 2 * MIN_TIMEOUT_SECONDS)
        )
        return WatchStream(self.store, self.rendering, self.options, self.namespace, timeout)

    def refused(self, failure: Failure) -> Answer:
        """A watch that ends with an error at once."""
        stream = self._new()
        stream.fail(failure)
        return stream

    def stream(self, version: int) -> Answer:
        """Open the stream from a version, or with all existing objects."""
        options = self.options
        everything = not version if options.initial_events is None else options.initial_events
        stream = self._new()
        if everything:
            stream.start(self.collection.now(self.namespace))
        elif version:
            changes = self.collection.since(version)
            if changes is None:
                why = f"too old resource version: {version} ({self.collection.forgotten})"
                return self.refused(Failure(410, "Expired", why, details=False))
            for change in changes:
                stream.tell(change)
        if everything and options.bookmarks:
            stream.bookmark(_INITIAL_END)
        if not stream.ended:
            stream.follow(self.collection, version if not everything else 0)
        return stream


class WatchStream(Stream):
    """One watch."""

    def __init__(
        self,
        store: Store,
        rendering: Rendering,
        options: ListOptions,
        namespace: str,
        timeout: float,
    ) -> None:
        self.status = 200
        self.headers: Headers = [("content-type", "application/json")]
        self._store = store
        self._rendering = rendering
        self._view = rendering.view
        self._options = options
        self._namespace = namespace
        self._plain = rendering.encoding.form.kind == ""
        self._everything = not options.selects
        self._ready: deque[bytes] = deque()
        self._held: deque[tuple[tuple[Record, ...], Callable[[], None]]] = deque()
        self._calls: Sequence[WebhookCall] = ()
        self._behind = 0
        self._wake: Callable[[], None] = _nothing
        self._stop: Callable[[], None] = _nothing
        self._after = 0
        self._columns = True
        self.ended = False
        self._began = store.clock.monotonic()
        self._end = self._began + timeout
        self._bookmark = self._bookmark_after(self._began) if options.bookmarks else math.inf
        self._deadline: float | None = min(self._end, self._bookmark)

    @property
    def deadline(self) -> float | None:
        """When a bookmark is due, a call is given up, or the end; None once it has ended."""
        if self._deadline is None or not self._calls:
            return self._deadline
        return min(self._deadline, *(call.deadline for call in self._calls))

    @property
    def calls(self) -> Sequence[WebhookCall]:
        """The calls to a webhook that has to convert the next event."""
        return self._calls

    def _bookmark_after(self, moment: float) -> float:
        """Return the time of the next bookmark: one a minute, and one before the end."""
        minutes = (moment - self._began) // BOOKMARK_SECONDS + 1
        times = (self._began + BOOKMARK_SECONDS * minutes, self._end - LAST_BOOKMARK_SECONDS)
        return min((each for each in times if moment < each <= self._end), default=math.inf)

    # ---------------------------------------------------------------------- the driver's

    def take(self) -> bytes | None:
        """The lines that are ready; None at the end."""
        self._tick()
        if self._held:
            self._release()
        if self._ready:
            lines = b"".join(self._ready)
            self._ready.clear()
            self._behind = 0
            return lines
        return None if self.ended else b""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have `wake` called when there is something to take."""
        self._wake = wake
        if self._ready or self.ended:
            wake()

    def close(self) -> None:
        """End the watch."""
        if not self.ended:
            self.ended = True
            self._deadline = None
            self._stop()
            self._wake()

    def _tick(self) -> None:
        now = self._store.clock.monotonic()
        if self.ended or self._deadline is None or now < self._deadline:
            return
        if self._bookmark <= now:
            self._bookmark = self._bookmark_after(now)
            self.bookmark()
        if now >= self._end:
            self.close()
        else:
            self._deadline = min(self._end, self._bookmark)

    # ------------------------------------------------------------------------- contents

    def start(self, records: list[Record]) -> None:
        """Send the existing objects."""
        for record in records:
            if self._view.asks_webhook:
                self._hold((record,), partial(self._start_with, record))
            else:
                self._start_with(record)

    def _start_with(self, record: Record) -> None:
        if self._everything or selects(self._view, self._options, record):
            self._say("ADDED", record)

    def follow(self, collection: Collection, after: int) -> None:
        """Continue with the changes from now on, except those up to a version."""
        self._after = after
        self._behind = 0  # the existing objects may be of any size
        self._stop = collection.watch(self._tell_on, self.close)

    def _tell_on(self, change: Change) -> None:
        self.tell(change)
        if self._behind > MAX_WAITING_BYTES:
            self._give_up()

    def _give_up(self) -> None:
        """End a watch that nobody reads, as real servers do.

        The lines that were not taken are dropped: the client resumes after its last event.
        """
        self._ready.clear()
        self._held.clear()
        self.close()

    def tell(self, change: Change) -> None:
        """Send the event of a change, if it concerns this watch."""
        if change.version <= self._after:
            return
        if self._namespace and change.record.namespace != self._namespace:
            return
        if self._view.asks_webhook:
            both = tuple(each for each in (change.before, change.after) if each is not None)
            self._hold(both, partial(self._tell, change))
        else:
            self._tell(change)

    def _tell(self, change: Change) -> None:
        was, is_ = self._sees(change.before), self._sees(change.after)
        if is_:
            assert change.after is not None
            self._say("MODIFIED" if was else "ADDED", change.after, change)
        elif was:
            self._say("DELETED", change.departed(), change)

    def _sees(self, record: Record | None) -> bool:
        if record is None:
            return False
        return self._everything or selects(self._view, self._options, record)

    def _say(self, kind: str, record: Record, change: Change | None = None) -> None:
        if not self._plain:
            self._put_shown(kind, self._view.value(record))
        elif change is None:
            self._put(_line(kind, self._view.whole(record)))
        else:
            view = self._view
            self._put(change.encoded(kind, view.prefix, lambda: _line(kind, view.whole(record))))

    def _put(self, line: bytes) -> None:
        self._ready.append(line)
        self._behind += len(line)
        self._wake()

    def bookmark(self, annotations: dict[str, str] | None = None) -> None:
        """Send a bookmark with the version that this watch has reached."""
        metadata: dict[str, Any] = {"resourceVersion": str(self._store.version)}
        if annotations:
            metadata["annotations"] = annotations
        value = self._view.titled({"metadata": metadata})
        if self._held:
            self._hold((), partial(self._put_bookmark, value))
        else:
            self._put_bookmark(value)

    def _put_bookmark(self, value: dict[str, Any]) -> None:
        if self._plain:
            self._put(_line("BOOKMARK", json.encode(value)))
        else:
            self._put_shown("BOOKMARK", value)

    # ------------------------------------------------------------------------- webhooks

    def _hold(self, records: tuple[Record, ...], say: Callable[[], None]) -> None:
        """Send an event after the held ones, when a webhook has converted these records."""
        self._held.append((records, say))
        if len(self._held) > MAX_HELD_CHANGES:
            self._give_up()
        self._wake()

    def _release(self) -> None:
        """Send the held events that have been converted."""
        try:
            while self._held and not self.ended:
                records, say = self._held[0]
                calls = self._view.pending(records)
                if calls:
                    self._wait_for(calls)
                    return
                self._held.popleft()
                say()
        except Failure as failure:
            self._held.clear()
            self.fail(failure)
        self._calls = ()

    def _wait_for(self, calls: Sequence[WebhookCall]) -> None:
        for call in calls:
            if call not in self._calls:
                call.on_ready(self._call_ended)
        self._calls = calls

    def _call_ended(self) -> None:
        self._wake()

    def _put_shown(self, kind: str, value: dict[str, Any]) -> None:
        """Send an event in the requested form. An object that does not have it ends the watch."""
        if self.ended:
            return
        try:
            shown = self._rendering.shown(value, columns=self._columns)
        except Failure:
            self.close()
            return
        self._columns = False
        self._put(_line(kind, json.encode(shown)))

    def fail(self, failure: Failure) -> None:
        """End with an ERROR event."""
        self._put(_line("ERROR", json.encode(failure.status())))
        self.close()


def _nothing() -> None:
    """The callback as long as nobody waits."""


def _line(kind: str, value: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), value)

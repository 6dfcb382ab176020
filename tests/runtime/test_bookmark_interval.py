"""How long a watch may be silent, by the bookmarks that came; time is a number."""

from __future__ import annotations

from typing import Any

import pytest

from clientgen.runtime._cache.reflector_state import ReflectorState, Streaming
from clientgen.runtime._http.bookmark_interval import BookmarkGaps
from clientgen.runtime._http.watch_progress import INITIAL_EVENTS_END, WatchProgress
from clientgen.runtime._models.meta_v1 import ObjectMeta, PartialObjectMetadata
from clientgen.runtime._models.model_codec import WatchEvent
from clientgen.runtime.errors import ConnectionLost, RequestInfo

STREAM = 330.0


def gaps(*moments: float) -> BookmarkGaps:
    made = BookmarkGaps()
    assert made.begin(STREAM) == STREAM
    tell(made, *moments)
    return made


def tell(known: BookmarkGaps, *moments: float) -> None:
    for now in moments:
        known.note(now)


@pytest.mark.parametrize("moments", [(), (60.0,), (60.0, 120.0)])
def test_without_a_rhythm_nothing_changes(moments):
    assert gaps(*moments).limit == STREAM


def test_a_bookmark_a_minute_makes_it_two_and_a_half():
    assert gaps(60.0, 120.0, 180.0).limit == 150.0


def test_a_bookmark_that_was_dropped_is_no_silence():
    """kube-apiserver drops one that it cannot send at once; the next comes a minute later."""
    known = gaps(*(60.0 * number for number in range(1, 5)))
    assert known.limit > 2 * 62.0
    tell(known, 360.0)
    assert known.limit == 300.0
    tell(known, *(360.0 + 60.0 * number for number in range(1, 6)))
    assert known.limit == 150.0  # that was long ago


def test_bookmarks_that_come_often_make_nobody_impatient():
    assert gaps(*(5.0 * number for number in range(10))).limit == 75.0


def test_bookmarks_that_come_together_are_no_rhythm():
    """A reader that was away finds several, or the server sends them in heaps."""
    assert gaps(10.0, 10.0, 10.0, 10.1, 10.5).limit == STREAM


def test_the_interval_survives_a_reconnect_without_the_gap():
    known = gaps(60.0, 120.0, 180.0)
    assert known.begin(400.0) == 150.0
    tell(known, 900.0, 960.0)
    assert known.limit == 150.0


def test_the_allowed_silence_never_exceeds_the_stream():
    assert gaps(0.0, 300.0, 600.0).limit == STREAM


def test_after_a_connection_was_lost_it_is_learned_anew():
    known = gaps(60.0, 120.0, 180.0)
    known.forget()
    assert known.begin(STREAM) == STREAM
    tell(known, 300.0, 310.0, 320.0)
    assert known.limit == 75.0


def bookmark(**annotations: str) -> WatchEvent[PartialObjectMetadata]:
    metadata = ObjectMeta(resource_version="7", annotations=annotations)
    return WatchEvent("BOOKMARK", PartialObjectMetadata(metadata=metadata))


def added() -> WatchEvent[PartialObjectMetadata]:
    metadata = ObjectMeta(resource_version="8")
    return WatchEvent("ADDED", PartialObjectMetadata(metadata=metadata))


END = bookmark(**{INITIAL_EVENTS_END: "true"})


class OfWatch:
    """A plain watch: the seconds of silence of each of its connections, and what is told."""

    def __init__(self) -> None:
        self.rules = WatchProgress({"send_initial_events": True}, RequestInfo("GET", "/x"))
        _, self.silence = self.rules.next_stream(0.0)
        self.rules.opened(0.0)

    def end(self, error: ConnectionLost | None, now: float) -> float:
        assert self.rules.ended(error, now) is not None
        return self.rules.next_stream(now)[1]


class OfInformer:
    """The same of an informer."""

    def __init__(self) -> None:
        self.rules = ReflectorState({}, 0.0)
        step = self.rules.begin()
        assert isinstance(step, Streaming)
        self.silence = step.read_timeout
        self.rules.opened(0.0)

    def end(self, error: ConnectionLost | None, now: float) -> float:
        step = self.rules.stream_ended(error, now)
        assert isinstance(step, Streaming)
        assert not step.initial
        return step.read_timeout


def take(watch: OfWatch | OfInformer, now: float, event: WatchEvent[Any]) -> None:
    """As the shells do: an event, and before more is read the time of a bookmark."""
    watch.rules.take(event)
    if watch.rules.bookmarks.has_come:
        watch.rules.bookmarks.note(now)


@pytest.mark.parametrize("kind", [OfWatch, OfInformer])
def test_a_server_that_only_ends_its_initial_events_is_not_hurried(kind):
    watch = kind()
    for now in (1.0, 61.0, 121.0, 181.0):
        take(watch, now, END)
        take(watch, now, added())
    assert watch.rules.bookmarks.limit == watch.silence
    assert watch.end(None, 300.0) >= STREAM


@pytest.mark.parametrize("kind", [OfWatch, OfInformer])
def test_a_server_with_a_rhythm_may_not_lose_it(kind):
    watch = kind()
    take(watch, 1.0, END)
    for now in (60.0, 90.0, 120.0, 180.0):
        take(watch, now, added() if now == 90.0 else bookmark())
    assert watch.rules.bookmarks.limit == 150.0
    assert watch.end(None, 300.0) == 150.0
    watch.rules.opened(300.0)
    # It died; the next may lead to another server.
    assert watch.end(ConnectionLost("silent"), 450.0) >= STREAM

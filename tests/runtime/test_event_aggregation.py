"""What an event recorder decides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kubeapi.core.v1 import ObjectReference, Pod

from clientgen.runtime._controllers.event_aggregation import (
    COMBINED_PREFIX,
    Correlator,
    EventReport,
    LruCache,
    Reference,
    Series,
    event_name,
    micro_time,
    truncate,
)
from clientgen.runtime._models.meta_v1 import ObjectMeta

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
POD = Reference(api_version="v1", kind="Pod", namespace="shop", name="web-0", uid="u")


def told(count: int = 0, **changes: Any) -> EventReport:
    values: dict[str, Any] = {
        "regarding": POD,
        "type": "Normal",
        "reason": "Bound",
        "note": "to web",
        "action": "Binding",
        "related": None,
        "annotations": {},
        "name": f"web-0.{count}",
        "time": NOON + timedelta(seconds=count),
        "controller": "c",
        "instance": "c-1",
    }
    return EventReport(**{**values, **changes})


# ---- words ------------------------------------------------------------------------------------


def test_references() -> None:
    pod = Pod(metadata=ObjectMeta(name="a", namespace="b", uid="c", resource_version="7"))
    wire = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "a",
        "namespace": "b",
        "uid": "c",
        "resourceVersion": "7",
    }
    assert Reference.to(pod).wire == wire
    as_dict = {"apiVersion": "v1", "kind": "Pod", "metadata": {**wire, "kind": "no"}}
    assert Reference.to(as_dict).wire == wire
    part = ObjectReference(api_version="v1", kind="Pod", name="a", field_path="spec.x")
    assert Reference.to(part).wire == {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "a",
        "fieldPath": "spec.x",
    }
    for wrong in (object(), None, {"kind": "Pod"}, ObjectMeta(name="x")):
        with pytest.raises(ValueError, match="the object of an event needs"):
            Reference.to(wrong)


def test_texts() -> None:
    assert micro_time(NOON) == "2026-01-01T12:00:00.000000Z"
    assert event_name("web-0", 255) == "web-0.ff"
    assert event_name("Web", 1) is None
    assert event_name("a" * 252, 1) is None
    assert truncate("a" * 1025) == "a" * 1024
    assert truncate("a" + "é" * 512) == "a" + "é" * 511


def test_the_least_recently_used_key_is_dropped() -> None:
    recent: LruCache[str, int] = LruCache(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert recent.items() == [("a", 1), ("c", 3)]
    assert recent.get("b") is None


# ---- events.k8s.io/v1 -------------------------------------------------------------------------


def test_the_second_makes_a_series_and_the_others_count() -> None:
    rules = Series()
    first = rules.report(told(0), 0.0)
    assert first is not None
    assert first.patch is None
    assert first.body == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "web-0.0", "namespace": "shop"},
        "eventTime": "2026-01-01T12:00:00.000000Z",
        "reportingController": "c",
        "reportingInstance": "c-1",
        "action": "Binding",
        "reason": "Bound",
        "regarding": POD.wire,
        "note": "to web",
        "type": "Normal",
    }
    second = rules.report(told(1, note="to another"), 1.0)
    assert second is not None
    assert second.name == "web-0.0"
    series = {"count": 2, "lastObservedTime": "2026-01-01T12:00:01.000000Z"}
    assert second.patch == {"series": series}
    assert second.body == {**first.body, "series": series}
    assert rules.report(told(2), 2.0) is None
    assert rules.due(2.0) == []
    assert [write.patch for write in rules.due(2.0, everything=True)] == [
        {"series": {"count": 3, "lastObservedTime": "2026-01-01T12:00:02.000000Z"}}
    ]
    assert rules.due(2.0, everything=True) == []


@pytest.mark.parametrize(
    "change",
    [
        {"type": "Warning"},
        {"action": "Other"},
        {"reason": "Other"},
        {"related": POD},
        {"instance": "c-2"},
        {"regarding": Reference(api_version="v1", kind="Pod", name="other")},
    ],
)
def test_different_events_are_separate(change: dict[str, Any]) -> None:
    rules = Series()
    assert rules.report(told(0), 0.0)
    other = rules.report(told(1, **change), 1.0)
    assert other is not None
    assert other.patch is None


def test_a_series_is_refreshed_and_comes_to_an_end() -> None:
    rules = Series()
    for count in range(3):
        rules.report(told(count), 0.0)
    rules.report(told(9, reason="Once"), 0.0)
    assert rules.next_due == 360.0
    rules.report(told(359), 359.0)
    assert rules.due(360.0) == []
    assert len(rules) == 1  # what happened once is forgotten after six minutes
    writes = rules.due(720.0)
    assert [write.patch and write.patch["series"]["count"] for write in writes] == [4]
    assert (len(rules), rules.next_due) == (0, None)
    again = rules.report(told(721), 721.0)
    assert again is not None
    assert again.patch is None


def test_a_series_that_goes_on_is_written_every_half_hour() -> None:
    rules = Series()
    written: list[tuple[float, int]] = []
    for minute in range(65):
        now = minute * 60.0
        write = rules.report(told(minute), now)
        writes = [*([write] if write else []), *rules.due(now)]
        written += [(now, each.patch["series"]["count"] if each.patch else 1) for each in writes]
    assert written == [(0.0, 1), (60.0, 2), (1800.0, 31), (3600.0, 61)]


# ---- core/v1 ----------------------------------------------------------------------------------


def test_repetitions_update_the_count() -> None:
    rules = Correlator()
    first = rules.report(told(0), 0.0)
    second = rules.report(told(5), 5.0)
    assert first is not None
    assert second is not None
    assert first.patch is None
    assert first.body == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "web-0.0", "namespace": "shop"},
        "involvedObject": POD.wire,
        "reason": "Bound",
        "type": "Normal",
        "source": {"component": "c", "host": "c-1"},
        "reportingComponent": "c",
        "reportingInstance": "c-1",
        "firstTimestamp": "2026-01-01T12:00:00Z",
        "count": 1,
        "lastTimestamp": "2026-01-01T12:00:00Z",
        "message": "to web",
    }
    changes = {"count": 2, "lastTimestamp": "2026-01-01T12:00:05Z", "message": "to web"}
    assert (second.name, second.patch) == ("web-0.0", changes)
    assert second.body == {**first.body, **changes}


def test_the_tenth_message_and_all_that_follow_are_combined() -> None:
    rules = Correlator()
    for count in range(9):
        write = rules.report(told(count, note=f"no {count}"), 0.0)
        assert write is not None
        assert write.body["message"] == f"no {count}"
    for count, number in ((9, 1), (10, 2)):
        write = rules.report(told(count, note=f"no {count}"), 1.0)
        assert write is not None
        assert (write.name, write.body["count"]) == ("web-0.9", number)
        assert write.body["message"] == f"{COMBINED_PREFIX}no {count}"
    known = rules.report(told(11, note="no 3"), 1.0)
    assert known is not None
    assert (known.name, known.body["count"]) == ("web-0.3", 2)
    late = rules.report(told(12, note="no 12"), 601.1)
    assert late is not None
    assert late.body["message"] == "no 12"


def test_a_gap_of_ten_minutes_is_from_the_last_one() -> None:
    rules = Correlator()
    for count in range(10):
        write = rules.report(told(count, note=f"no {count}"), count * 600.0)
    assert write is not None
    assert write.body["message"].startswith(COMBINED_PREFIX)


def test_events_over_the_limit_are_dropped_but_counted() -> None:
    rules = Correlator()
    assert all(rules.report(told(count), 0.0) for count in range(25))
    assert rules.report(told(25), 0.0) is None
    assert rules.report(told(26), 299.0) is None
    assert rules.report(told(0, type="Warning"), 299.0)
    assert rules.report(told(0, regarding=Reference(kind="Pod", name="x")), 299.0)
    write = rules.report(told(27), 300.0)
    assert write is not None
    assert write.body["count"] == 28
    assert rules.report(told(28), 300.0) is None


def test_memory_is_bounded() -> None:
    for rules in (Series(5), Correlator(5)):
        for count in range(50):
            about = Reference(api_version="v1", kind="Pod", name=f"p{count}")
            rules.report(told(count, regarding=about), 0.0)
        about = Reference(api_version="v1", kind="Pod", name="p0")
        again = rules.report(told(99, regarding=about), 1.0)
        assert again is not None
        assert again.patch is None
    assert len(rules._counted) == len(rules._similar) == 5

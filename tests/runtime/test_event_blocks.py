"""Events of a watch, many at once."""

from __future__ import annotations

import gc
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.models import Pod, pod

from clientgen.runtime._http.codec import FrameError
from clientgen.runtime._http.line_decoder import JsonLines, LineSplitter, is_whole
from clientgen.runtime._models.gc_pause import GcPaused
from clientgen.runtime._models.meta_v1 import Status
from clientgen.runtime._models.model_codec import DecodeError, decode_event, decode_events


def line(kind: str, obj: dict[str, Any]) -> bytes:
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"


BOOKMARK = {
    "kind": "Pod",
    "metadata": {"resourceVersion": "7", "creationTimestamp": None},
    "spec": {"containers": None},
}
ODD = {**pod("odd"), "spec": {"containers": None}}
ERROR = {"kind": "Status", "code": 410, "reason": "Expired"}
LINES = [
    line("ADDED", pod("a")),
    line("MODIFIED", pod("b", "2")),
    line("DELETED", pod("c", "3")),
    line("ADDED", ODD),
    line("BOOKMARK", BOOKMARK),
    line("ERROR", ERROR),
]


@given(some.lists(some.sampled_from(LINES), max_size=6))
def test_many_at_once_are_what_they_are_one_by_one(lines):
    assert decode_events(b"".join(lines), Pod) == [decode_event(each, Pod) for each in lines]


def test_all_kinds_of_them():
    events = decode_events(b"\n".join(LINES), Pod)
    assert [each.type for each in events] == [
        *("ADDED", "MODIFIED", "DELETED", "ADDED", "BOOKMARK", "ERROR")
    ]
    assert isinstance(events[-1].object, Status)
    assert events[3].object.spec.containers == []
    assert events[4].object.metadata.resource_version == "7"


def test_an_empty_block_has_no_events():
    assert decode_events(b"", Pod) == []
    assert decode_events(b"\n\n", Pod) == []


@pytest.mark.parametrize("bad", [b"{\n", b'{"type":"ADDED"}\n', b"[]\n", b'{"type":1}\n'])
def test_an_invalid_event_is_an_error(bad):
    with pytest.raises(DecodeError):
        decode_events(LINES[0] + bad, Pod)


def test_raw_parts_do_not_keep_the_chunk():
    managed = {**pod("a")}
    metadata = {**managed["metadata"], "managedFields": [{"fieldsV1": {"f:spec": {}}}]}
    managed["metadata"] = metadata
    block = line("ADDED", managed) + b" " * 100_000 + b"\n"
    (event,) = decode_events(block, Pod)
    raw = event.object.metadata.managed_fields[0].fields_v1
    assert bytes(raw) == b'{"f:spec": {}}'
    assert not [each for each in gc.get_referents(raw) if each is block]
    assert gc.isenabled()


def test_the_collector_rests_and_comes_back():
    with GcPaused():
        assert not gc.isenabled()
        with GcPaused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


@given(some.binary(max_size=60), some.lists(some.integers(0, 60), max_size=8))
def test_blocks_do_not_depend_on_where_bytes_are_cut(data, cuts):
    data = data.replace(b"\x01", b"\n")
    splitter, blocks = LineSplitter(), []
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(bounds):
        blocks.append(splitter.feed_block(data[start:end]))
    assert all(not block or block.endswith(b"\n") for block in blocks)
    rest = splitter.finish()
    assert b"\n" not in rest
    assert b"".join(blocks) + rest == data


@pytest.mark.parametrize(("text", "whole"), [(b"{}", True), (b'{"a":[1', False), (b"", False)])
def test_a_last_line_may_be_whole(text, whole):
    assert is_whole(text) == whole


def test_blank_lines_are_no_events():
    assert JsonLines().feed(b'{"a":1}\n\n \t\r\n{"b":2}\n') == [b'{"a":1}', b'{"b":2}']


@pytest.mark.parametrize("last", [b"", b'{"a":1}', b"[]"])
def test_the_last_event_of_a_stream_needs_no_end(last):
    framer = JsonLines()
    assert framer.feed(b"{}\n" + last) == [b"{}"]
    assert framer.finish() == last
    assert framer.finish() == b""


@pytest.mark.parametrize("last", [b'{"a":1', b"\r"])
def test_a_stream_that_ends_within_an_event_is_told(last):
    framer = JsonLines()
    assert framer.feed_block(b"{}\n" + last) == b"{}\n"
    with pytest.raises(FrameError, match="ended in the middle of an event"):
        framer.finish()

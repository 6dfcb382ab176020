"""Frames of WebSockets and channels of exec, whatever the pieces in which they come."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen.runtime._http.request import RequestInfo
from clientgen.runtime._streams.channels import (
    exit_status,
    message,
    read_exit_code,
    read_size,
    resize_message,
    split,
)
from clientgen.runtime._streams.outputs import Output, OutputReader
from clientgen.runtime._streams.websocket_protocol import Frames
from clientgen.runtime.errors import ApiError, ConnectionLost, ResponseBroken

INFO = RequestInfo("GET", "/exec")
MESSAGES = st.lists(
    st.one_of(st.binary(max_size=200), st.text(max_size=50), st.just(b"x" * 70_000))
)
CUTS = st.lists(st.integers(1, 40_000), min_size=1, max_size=8)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """Cut bytes at lengths that begin again when they are used up."""
    parts: list[bytes] = []
    while data:
        cut = cuts[len(parts) % len(cuts)]
        parts.append(data[:cut])
        data = data[cut:]
    return parts


def frames_in(data: bytes) -> Iterator[bytes]:
    """Cut small frames of a client apart."""
    while data:
        size = 6 + (data[1] & 0x7F)
        yield data[:size]
        data = data[size:]


def unmasked(frame: bytes) -> bytes:
    return bytes(byte ^ frame[2 + at % 4] for at, byte in enumerate(frame[6:]))


@given(st.booleans(), MESSAGES, CUTS)
def test_messages_arrive_whole_and_in_order(
    is_from_server: bool, messages: list[bytes | str], cuts: list[int]
) -> None:
    sender, receiver = Frames(is_server=is_from_server), Frames(is_server=not is_from_server)
    for each in messages:
        sender.send(each)
    sender.close()
    received = [got for part in pieces(sender.take(), cuts) for got in receiver.receive(part)]
    assert received == [each.encode() if isinstance(each, str) else each for each in messages]
    assert (receiver.is_over, receiver.close_reason) == (True, "")


def test_of_pongs_the_latest_is_sent_and_before_a_farewell() -> None:
    sender, receiver = Frames(is_server=True), Frames()
    receiver.send(b"before")
    for number in range(10_000):
        receiver.receive(b"\x89\x02%2d" % (number % 100))
    receiver.receive(b"\x88\x00")
    data = receiver.take()

    kinds = [frame[0] for frame in frames_in(data)]
    assert kinds == [0x8A, 0x82, 0x88]
    assert unmasked(next(frames_in(data))) == b"99"
    assert sender.receive(data) == [b"before"]
    assert (sender.is_over, sender.close_reason) == (True, "")
    assert receiver.take() == b""


@try_examples(25)
@given(st.booleans(), MESSAGES, CUTS, st.integers(1, 5))
def test_frames_are_received_a_few_at_a_time(
    is_from_server: bool, messages: list[bytes | str], cuts: list[int], most: int
) -> None:
    sender, receiver = Frames(is_server=is_from_server), Frames(is_server=not is_from_server)
    for each in messages:
        sender.send(each)
    received: list[bytes] = []
    for part in pieces(sender.take(), cuts):
        rest = memoryview(part)
        while rest:
            before = receiver.received
            piece, rest = receiver.split_frames(rest, most)
            received += receiver.receive(piece)
            ended = receiver.received - before
            # The first of them may have begun before.
            assert ended == most + 1 or ended == most if rest else ended <= most + 1
    assert received == [each.encode() if isinstance(each, str) else each for each in messages]


def test_a_read_of_large_frames_is_received_at_once() -> None:
    """Parsing it in small pieces took half as much time again."""
    sender, receiver = Frames(is_server=True), Frames()
    for _ in range(10):
        sender.send(bytes(100_000))
    data = memoryview(sender.take())
    assert receiver.split_frames(data[:500_001], 500) == (data[:500_001], b"")
    assert receiver.split_frames(data[500_001:], 500) == (data[500_001:], b"")


@given(st.lists(st.binary(min_size=1, max_size=300), min_size=1))
def test_bytes_that_are_no_frames_end_the_connection_with_a_reason(parts: list[bytes]) -> None:
    frames = Frames()
    for part in parts:
        for got in frames.receive(part):
            assert isinstance(got, bytes)
    frames.take()
    if frames.is_over:
        assert frames.receive(b"more") == []
        assert "\n" not in frames.close_reason


@given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=50))),
    st.integers(0, 255),
    CUTS,
)
def test_output_and_exit_code_come_through_the_channels(
    written: list[tuple[int, bytes]], code: int, cuts: list[int]
) -> None:
    reader = OutputReader(INFO)
    names = {1: "stdout", 2: "stderr"}
    for channel, data in written:
        expected = (names[channel], data) if data else None
        assert reader.feed(message(channel, data)) == expected
    for part in pieces(exit_status(code), cuts):
        assert reader.feed(message(3, part)) is None
    assert reader.finish() == reader.exit_code == code == read_exit_code(exit_status(code), INFO)


@given(st.lists(st.binary(max_size=100)))
def test_any_messages_are_output_or_an_error(messages: list[bytes]) -> None:
    reader = OutputReader(INFO)
    for each in messages:
        got = reader.feed(each)
        assert got is None or (isinstance(got, Output) and (each[0], got.data) == split(each))
    with contextlib.suppress(ApiError, ConnectionLost, ResponseBroken):
        assert isinstance(reader.finish(), int)


@given(st.integers(1, 65535), st.integers(1, 65535))
def test_sizes_of_terminals_come_through(width: int, height: int) -> None:
    channel, data = split(resize_message(width, height))
    assert (channel, read_size(data)) == (4, (width, height))

"""Bodies of responses, as they are collected."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from clientgen.runtime._http.response_bodies import BodyReader


@pytest.mark.parametrize("seed", range(5))
def test_chunks_of_any_size_are_joined_in_order(seed: int) -> None:
    chance = random.Random(seed)
    body = chance.randbytes(300_000)
    reader, position = BodyReader(200, {}, 1 << 20), 0
    while position < len(body):
        size = chance.choice([1, 10, 1_000, 5_000, 60_000])
        assert reader.feed(body[position : position + size])
        position += size
    assert reader.whole() == body


def test_a_body_of_tiny_chunks_takes_little_more_memory_than_its_bytes() -> None:
    reader = BodyReader(200, {}, 1 << 20)
    tracemalloc.start()
    for number in range(500_000):
        reader.feed(bytes((number % 251,)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # a list of 500,000 bytes objects has 4 MB for its slots alone
    assert len(reader.whole()) == 500_000

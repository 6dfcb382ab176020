"""Durations as Go and Gateway API write them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime.models import format_duration, parse_duration

# Below Go's longest duration, and the longest of GEP-2257.
_GO = timedelta(days=106_000)
_GATEWAY_MILLISECONDS = 99_999 * 3_600_000 + 3_599_999


@pytest.mark.parametrize(
    ("text", "microseconds", "canonical"),
    [
        ("0", 0, "0s"),
        ("-0", 0, "0s"),
        ("1h", 3_600_000_000, "1h0m0s"),
        ("90m", 5_400_000_000, "1h30m0s"),
        ("1m1.5s", 61_500_000, "1m1.5s"),
        ("+1.s", 1_000_000, "1s"),
        (".5ms", 500, "500\u00b5s"),
        ("1500us", 1500, "1.5ms"),
        ("1\u03bcs2\u00b5s", 3, "3\u00b5s"),
        ("1500ns", 2, "2\u00b5s"),
        ("-1h1s1s", -3_602_000_000, "-1h0m2s"),
        ("2562047h47m16.854775807s", 9_223_372_036_854_776, None),
    ],
)
def test_durations_are_read_and_written_as_go_does(
    text: str, microseconds: int, canonical: str | None
) -> None:
    duration = parse_duration(text)
    assert duration == timedelta(microseconds=microseconds)
    if canonical is not None:
        assert format_duration(duration) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "-", "1", "1d", "h", ".s", "1 h", "--1s", "1h-1s", "1e3s", "\u0661s", "1h\n", "1s" * 51],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text[:60]))):
        parse_duration(text)


def test_durations_too_long_for_go_are_refused() -> None:
    with pytest.raises(ValueError, match="292 years"):
        parse_duration("2562048h")
    with pytest.raises(ValueError, match="292 years"):
        format_duration(timedelta.max)


@pytest.mark.parametrize("text", ["1.5s", "-1s", "100000h", "1h1m1s1ms1h", "1us", "0", "+1s", ""])
def test_gateway_api_allows_less(text: str) -> None:
    with pytest.raises(ValueError, match="GEP-2257 allows up to four"):
        parse_duration(text, gep2257=True)


@pytest.mark.parametrize(
    "duration",
    [timedelta(seconds=-1), timedelta(microseconds=1500), timedelta(hours=100_000)],
)
def test_what_gateway_api_cannot_write_is_refused(duration: timedelta) -> None:
    with pytest.raises(ValueError, match="cannot be written as GEP-2257 says"):
        format_duration(duration, gep2257=True)


@given(st.timedeltas(-_GO, _GO))
def test_go_text_is_read_back(duration: timedelta) -> None:
    assert parse_duration(format_duration(duration)) == duration


@given(st.integers(0, _GATEWAY_MILLISECONDS))
def test_gateway_text_is_read_back(milliseconds: int) -> None:
    duration = timedelta(milliseconds=milliseconds)
    text = format_duration(duration, gep2257=True)
    assert parse_duration(text, gep2257=True) == parse_duration(text) == duration

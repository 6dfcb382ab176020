"""Texts of any length are read in no time, as patterns that backtrack would not be."""

from __future__ import annotations

import pytest

from clientgen._apiextensions.formats import parse_duration


@pytest.mark.parametrize("text", ["9" * 200_000, "1." * 100_000, "h" * 200_000])
def test_no_durations(text: str) -> None:
    # Each character once: what tried all starts and ends would take hours.
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)


def test_words() -> None:
    assert parse_duration("2 days 3hours") == 51 * 3_600 * 10**9

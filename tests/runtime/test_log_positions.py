"""Reading on in a log after the connection was lost: nothing is lost, nothing comes twice."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime._streams.log_lines import LogPosition


def stamp(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{datetime.fromtimestamp(1_700_000_000 + seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


STEPS = st.lists(st.sampled_from([0, 1, 500_000_000, 999_999_999, 10**9, 7 * 10**9]), max_size=30)


@given(steps=STEPS, data=st.data())
def test_any_cut_is_repaired(steps: list[int], data: st.DataObject) -> None:
    """The server knows the time to the second, and lines may have the same time."""
    moment, log = 0, list[tuple[str, str]]()
    for number, step in enumerate(steps):
        moment += step
        log.append((stamp(moment), str(number)))
    position = LogPosition()
    read: list[str] = []
    while len(read) < len(log):
        position.resume()
        since = position.since[:19]  # RFC 3339, to the second
        sent = [line for line in log if line[0][:19] >= since]
        cut = data.draw(st.integers(0, len(sent)))
        for time, text in sent[:cut] if data.draw(st.booleans()) else sent:
            if taken := position.take(f"{time} {text}"):
                read.append(taken[1])

    assert read == [text for _, text in log]


@given(st.text(max_size=60))
def test_any_line_is_taken(line: str) -> None:
    taken = LogPosition().take(line)

    assert taken is not None
    assert line.endswith(taken[1])


def test_forms_of_times() -> None:
    position = LogPosition()
    lines = ["2026-01-01T12:00:00Z a", "2026-01-01T12:00:00.5Z b", "2026-01-01T14:00:01+02:00 c"]

    assert [position.take(line) for line in lines] == [tuple(line.split(" ")) for line in lines]
    position.resume()
    assert [position.take(line) for line in lines] == [None, None, None]
    assert position.take("9999-99-99T00:00:00Z d") == ("", "9999-99-99T00:00:00Z d")

"""Lines of container logs, and the position to resume from after a lost connection. No I/O."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

_STAMP: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII
)
# Error messages that a kubelet appends to the log if reading fails after the response has begun
# (kubelet: kuberuntime_container.go; cri-client: pkg/logs/logs.go).
_NODE_ERROR: Final = re.compile(
    r"[Uu]nable to retrieve container logs for \S+"
    r"|failed to (?:try resolving symlinks in path|(?:open|read) log file|(?:tail|seek) -?\d+ "
    r"|reset seek|create fsnotify watcher|watch directory|get parse function)"
    r"|rpc error: code = "
)
_NANOSECONDS: Final = 10**9
_DIGITS: Final = 9
_COLORS: Final = (32, 33, 34, 35, 36, 92, 93, 94, 95, 96)


class LogLine(NamedTuple):
    """A line of the log of a container. `str()` formats it as `kubectl logs --prefix` does."""

    namespace: str
    pod: str
    container: str
    timestamp: str
    """The time at which the line was written, as the node sends it, with nanoseconds."""
    text: str

    @property
    def time(self) -> datetime | None:
        """The time at which the line was written; None if the node sends no time."""
        nanoseconds = _nanoseconds(self.timestamp)
        if nanoseconds is None:
            return None
        return datetime.fromtimestamp(nanoseconds / _NANOSECONDS, UTC)

    def __str__(self) -> str:
        return f"[{self._origin}] {self.text}"

    def colored(self) -> str:
        """Return the line for a terminal, with a color for each container."""
        color = _COLORS[sum(self._origin.encode()) % len(_COLORS)]
        return f"\033[{color}m[{self._origin}]\033[0m {self.text}"

    @property
    def _origin(self) -> str:
        return f"{self.pod}/{self.container}"


class LogPosition:
    """How far the log of a container was read.

    `sinceTime` has a resolution of seconds, so the server repeats lines. `take` skips lines that
    are older than the last line, and as many lines with the time of the last line as were read
    before.
    """

    def __init__(self) -> None:
        self.since = ""
        """The time of the last line; empty before the first line."""
        self._last_time: int = 0
        self._lines_at_last_time: int = 0
        self._lines_to_skip = 0
        self._is_replay = False

    def resume(self) -> None:
        """Prepare to read the log again from `since`."""
        self._is_replay, self._lines_to_skip = True, self._lines_at_last_time

    def is_node_error(self, line: str) -> bool:
        """Return whether a line is an error message of a node that could not read the log.

        Such messages have no time, but lines of the log have a time. If no line had a time so far,
        the message is recognized by its text.
        """
        timestamp, space, _ = line.partition(" ")
        if space and _nanoseconds(timestamp) is not None:
            return False
        return bool(self.since) or _NODE_ERROR.match(line) is not None

    def take(self, line: str) -> tuple[str, str] | None:
        """Return the time and the text of a line; None if the line was read before."""
        timestamp, space, text = line.partition(" ")
        nanoseconds = _nanoseconds(timestamp)
        if nanoseconds is None or not space:
            return "", line
        if self._is_replay:
            if nanoseconds < self._last_time:
                return None
            if nanoseconds == self._last_time and self._lines_to_skip:
                self._lines_to_skip -= 1
                return None
            self._is_replay = False
        self._lines_at_last_time = (
            self._lines_at_last_time + 1 if nanoseconds == self._last_time else 1
        )
        self._last_time, self.since = nanoseconds, timestamp
        return timestamp, text


def _nanoseconds(timestamp: str) -> int | None:
    match = _STAMP.fullmatch(timestamp)
    if match is None:
        return None
    seconds = _seconds(match[1] + match[3])
    return None if seconds is None else seconds * _NANOSECONDS + _fraction(match[2])


def _fraction(digits: str | None) -> int:
    return int(digits.ljust(_DIGITS, "0")) if digits else 0


@lru_cache(256)
def _seconds(text: str) -> int | None:
    try:
        return int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError):
        return None

"""Lines of logs, and where to read on after a connection was lost. Without I/O."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["LogLine", "LogPosition"]

_STAMP: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII
)
# What a kubelet writes into a log that it cannot read on, after its answer has begun (kubelet:
# kuberuntime_container.go; cri-client: pkg/logs/logs.go).
_OF_NODE: Final = re.compile(
    r"[Uu]nable to retrieve container logs for \S+"
    r"|failed to (?:try resolving symlinks in path|(?:open|read) log file|(?:tail|seek) -?\d+ "
    r"|reset seek|create fsnotify watcher|watch directory|get parse function)"
    r"|rpc error: code = "
)
_NANOSECONDS: Final = 10**9
_DIGITS: Final = 9
_COLORS: Final = (32, 33, 34, 35, 36, 92, 93, 94, 95, 96)


class LogLine(NamedTuple):
    """A line of the log of a container. Its text is that of `kubectl logs --prefix`."""

    namespace: str
    pod: str
    container: str
    timestamp: str
    """When it was written, as the node says, with nanoseconds."""
    text: str

    @property
    def time(self) -> datetime | None:
        """When it was written; None if the node does not say."""
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
    """How far the log of a container was read: until the time of a line.

    Servers know times to the second. What they send again is left out: lines before the last one
    that was read, and as many of the same time as were read.
    """

    def __init__(self) -> None:
        self.since = ""
        """The time of the last line; empty before there is one."""
        self._last: int = 0
        self._at_last: int = 0
        self._again = 0
        self._is_replay = False

    def resume(self) -> None:
        """Note that the log is read again from `since`."""
        self._is_replay, self._again = True, self._at_last

    def is_of_node(self, line: str) -> bool:
        """Tell whether the node says this itself, because it cannot read on in the log.

        It appends such words to the log. They have no time, and the lines of the log have one; of
        nodes that know no times, the words are known.
        """
        timestamp, space, _ = line.partition(" ")
        if space and _nanoseconds(timestamp) is not None:
            return False
        return bool(self.since) or _OF_NODE.match(line) is not None

    def take(self, line: str) -> tuple[str, str] | None:
        """Return the time and the text of a line; None if it was read before."""
        timestamp, space, text = line.partition(" ")
        nanoseconds = _nanoseconds(timestamp)
        if nanoseconds is None or not space:
            return "", line
        if self._is_replay:
            if nanoseconds < self._last:
                return None
            if nanoseconds == self._last and self._again:
                self._again -= 1
                return None
            self._is_replay = False
        self._at_last = self._at_last + 1 if nanoseconds == self._last else 1
        self._last, self.since = nanoseconds, timestamp
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

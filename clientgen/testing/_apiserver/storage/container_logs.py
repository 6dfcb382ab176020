"""What containers have written, with the time of each line."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_LOG_BYTES: Final = 10 << 20  # a kubelet's containerLogMaxSize
NANOSECONDS_PER_SECOND: Final = 10**9


class LogEntry(NamedTuple):
    """A line, with its end."""

    nanoseconds: int
    """Since 1970."""
    instance: int
    """How often the container had been restarted."""
    text: bytes

    @property
    def time(self) -> str:
        """When it was written, as kubelets tell it."""
        seconds, rest = divmod(self.nanoseconds, NANOSECONDS_PER_SECOND)
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


class ContainerLog:
    """The log of one container; of its present instance and those before.

    Attributes:
        total: how many lines were written, with those that are forgotten.
    """

    def __init__(self) -> None:
        self.entries: deque[LogEntry] = deque()
        self.total = 0
        self._size = 0
        self._wakers: list[Callable[[], None]] = []

    def write(self, now: datetime, instance: int, lines: list[bytes]) -> None:
        """Add lines. Each has a later time than the one before."""
        moment = int(now.timestamp()) * NANOSECONDS_PER_SECOND + now.microsecond * 1000
        for line in lines:
            if self.entries:
                moment = max(moment, self.entries[-1].nanoseconds + 1)
            self.entries.append(LogEntry(moment, instance, line))
            self._size += len(line)
        self.total += len(lines)
        while self._size > _MAX_LOG_BYTES:
            self._size -= len(self.entries.popleft().text)
        for wake in [*self._wakers]:
            wake()

    def since(self, number: int) -> list[LogEntry]:
        """Return the lines after so many, as far as they are not forgotten."""
        missing = len(self.entries) - (self.total - number)
        return [*self.entries][max(0, missing) :]

    def on_write(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have `wake` called after each write; gives what ends that."""
        self._wakers.append(wake)
        return lambda: self._wakers.remove(wake)


class ContainerLogs:
    """The logs of all containers, once a test says what one of them writes.

    A new pod has a new log.
    """

    def __init__(self) -> None:
        self._logs: dict[tuple[str, str], ContainerLog] = {}

    def find(self, uid: str, container: str) -> ContainerLog | None:
        """Return the log of a container; None if nobody says what any container writes."""
        return self.make(uid, container) if self._logs else None

    def make(self, uid: str, container: str) -> ContainerLog:
        """Return the log of a container, a new one if need be."""
        return self._logs.setdefault((uid, container), ContainerLog())

"""What the handler gives back. Nothing here waits: whoever drives the handler does.

A driver asks `ApiServer.handle(request)` and gets one of three: a whole `Response`, a `Stream`
whose pieces it takes as they come, or `Deferred`, an answer that is not ready yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Answer", "Deferred", "Headers", "Response", "Stream"]

Headers: TypeAlias = list[tuple[str, str]]


@dataclass(slots=True)
class Response:
    """A whole answer; `content-type` is among the headers, lengths and dates are the driver's."""

    status: int
    body: bytes = b""
    headers: Headers = field(default_factory=lambda: [("content-type", "application/json")])


class Stream(Protocol):
    """A watch: headers now, pieces as they come.

    `deadline` is when (on the server's monotonic clock) `take` has something to say even if nothing
    happened meanwhile, such as the end of `timeoutSeconds`; None when there is no such time.
    """

    status: int
    headers: Headers

    @property
    def deadline(self) -> float | None:
        """See above."""
        ...

    def take(self) -> bytes | None:
        """The bytes that are ready; empty when there are none yet, None when it has ended."""
        ...

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, from whichever thread, whenever `take` may have something new."""
        ...

    def close(self) -> None:
        """The client is gone."""
        ...


@dataclass(slots=True)
class Deferred:
    """Ask `resume` again when `wake` was called, and at `deadline` at the latest.

    `on_ready` is where the driver leaves its `wake`; `resume` may answer Deferred once more.
    """

    deadline: float
    resume: Callable[[], Answer]
    on_ready: Callable[[Callable[[], None]], None]


Answer: TypeAlias = Response | Stream | Deferred

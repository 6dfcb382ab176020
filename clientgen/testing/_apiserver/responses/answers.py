"""Kinds of answers. The handler returns one of them and never waits; its driver does.

A driver asks `ApiServer.handle(request)` and gets a whole `Response`, a `Stream` whose pieces it
takes as they come, `Deferred`, an answer that is not ready yet, or `Upgrade`, a WebSocket. The
kinds are classes, and drivers `match` on them: another kind is one class here, a member of
`Answer`, and one `case` for each driver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..webhook_calls import WebhookCall

Headers: TypeAlias = list[tuple[str, str]]


@dataclass(slots=True)
class Response:
    """A whole answer; `content-type` is among the headers, lengths and dates are the driver's."""

    status: int
    body: bytes = b""
    headers: Headers = field(default_factory=lambda: [("content-type", "application/json")])


NOSNIFF: Final = ("x-content-type-options", "nosniff")


def plain_text(status: int, text: str, *headers: tuple[str, str]) -> Response:
    """Return an answer in plain text."""
    return Response(
        status, text.encode(), [("content-type", "text/plain; charset=utf-8"), *headers]
    )


class Stream(ABC):
    """An answer in pieces, such as a watch: headers now, bytes as they come."""

    status: int
    headers: Headers

    @property
    @abstractmethod
    def deadline(self) -> float | None:
        """When to call `take` even if nothing happens, by the server's monotonic clock; or None."""

    @abstractmethod
    def take(self) -> bytes | None:
        """Return the bytes that are ready: empty if there are none yet, None at the end."""

    @abstractmethod
    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, from any thread, whenever `take` may return something new."""

    @property
    def calls(self) -> Sequence[WebhookCall]:
        """What the driver has to ask of webhooks before `take` returns more; see `Deferred`."""
        return ()

    @abstractmethod
    def close(self) -> None:
        """Note that the client is gone."""


class Upgrade(ABC):
    """A connection that becomes a WebSocket: messages in both directions, as for exec.

    Attributes:
        subprotocol: what the server chose of what the client speaks; empty if that is nothing.
    """

    subprotocol: str

    @abstractmethod
    def on_ready(self, wake: Callable[[], None]) -> None:
        """Begin; have `wake` called, from any thread, when `take` or `is_full` may have changed."""

    @abstractmethod
    def take(self) -> list[bytes] | None:
        """Return the messages for the client that are ready, or None at the end."""

    @abstractmethod
    def feed(self, message: bytes) -> None:
        """Take a message from the client."""

    @property
    @abstractmethod
    def is_full(self) -> bool:
        """Whether the client is not to be read for now."""

    @abstractmethod
    def close(self) -> None:
        """Note that the client is gone."""


@dataclass(slots=True)
class Deferred:
    """Ask `resume` again when `wake` was called, and at `deadline` at the latest.

    `on_ready` is where the driver leaves its `wake`; `resume` may answer Deferred once more.

    Attributes:
        calls: what the driver has to ask of webhooks. It makes those that it can `claim`, and calls
            `finish` on them; that wakes all who wait.
    """

    deadline: float
    resume: Callable[[], Answer]
    on_ready: Callable[[Callable[[], None]], None]
    calls: Sequence[WebhookCall] = ()


Answer: TypeAlias = Response | Stream | Upgrade | Deferred

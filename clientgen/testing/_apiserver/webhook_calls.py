"""Calls to webhooks, which the server asks its driver to make, and requests that wait for them.

The server never waits. A request that needs the answer of a webhook raises `Unanswered` with the
calls. Its driver makes them, and the request is attempted again from its start, with the answers at
hand. An `Attempt` makes that safe: the time and the random numbers are the same in all attempts. So
they need the same calls, unless a stored object has changed meanwhile.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from clientgen._apimachinery.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

MAX_ANSWER_BYTES: Final = 10 * 1024 * 1024
"""The most bytes that a webhook may answer."""
_MAX_ATTEMPTS: Final = 100
_HTTPS: Final = 443


@dataclass(frozen=True, slots=True)
class Target:
    """The address of a webhook.

    Attributes:
        host: the host of its URL, or `name.namespace.svc`.
        port: the port there.
        path: the path, empty or with a slash at its start.
        authority: the certificates that its own is signed by, in PEM; empty for the system's.
        service: namespace and name, if it is a service.
        netloc: the host and port as the URL writes them.
    """

    host: str
    port: int
    path: str
    authority: bytes
    service: tuple[str, str] | None
    netloc: str

    @property
    def url(self) -> str:
        """The URL, as messages show it."""
        return f"https://{self.netloc}{self.path}"


def target_of(client: dict[str, Any]) -> Target:
    """Read a `clientConfig`, which was found valid."""
    authority = b64decode(client.get("caBundle") or "").strip()
    service: dict[str, Any] | None = client.get("service")
    if service is None:
        text: str = client["url"]
        url = urlsplit(text)
        path = url.path or "/"
        return Target(url.hostname or "", url.port or _HTTPS, path, authority, None, url.netloc)
    namespace, name = service["namespace"], service["name"]
    host, port = f"{name}.{namespace}.svc", service.get("port") or _HTTPS
    path = service.get("path") or "/"
    path = path if path.startswith("/") else f"/{path}"
    return Target(host, port, path, authority, (namespace, name), f"{host}:{port}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: with an answer, or with the reason why there is none.

    Attributes:
        is_text: whether the body of an error may be shown.
    """

    status: int = 0
    body: bytes = b""
    problem: str = ""
    is_text: bool = True


class WebhookCall:
    """A POST to a webhook that somebody has to make.

    Its members may be used from any thread. `claim` tells the one who has to make it.

    Attributes:
        target: where to.
        query: of the URL.
        body: what is sent, in JSON.
        seconds: how long an answer may take.
        deadline: when it is given up, by the server's monotonic clock.
        outcome: how it ended; None as long as it has not.
        is_spent: whether its failure was reported already, so that the next attempt makes a new
            call.
    """

    def __init__(
        self, target: Target, body: bytes, seconds: float, deadline: float, query: str = ""
    ) -> None:
        self.target = target
        self.query = query
        self.body = body
        self.seconds = seconds
        self.deadline = deadline
        self.outcome: Outcome | None = None
        self.is_spent = False
        self._free = [True]
        self._wakers: list[Callable[[], None]] = []

    @property
    def url(self) -> str:
        """The URL with its query."""
        return f"{self.target.url}?{self.query}" if self.query else self.target.url

    def claim(self) -> bool:
        """Return whether the caller has to make this call; that is so for one caller."""
        if self.outcome is not None:
            return False
        try:
            return self._free.pop()
        except IndexError:
            return False

    def release(self) -> None:
        """Leave the call to others that wait for it."""
        if self.outcome is None:
            self._free.append(True)
            self._wake()

    def finish(self, outcome: Outcome) -> None:
        """Set the outcome of the call; only the first one counts."""
        if self.outcome is None:
            self.outcome = outcome
            self._wake()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have `wake` called when the call has ended, or is free again."""
        self._wakers.append(wake)
        if self.outcome is not None:
            wake()

    def _wake(self) -> None:
        for wake in tuple(self._wakers):
            wake()

    def give_up(self, now: float) -> None:
        """End the call if it has taken too long."""
        if self.outcome is None and now >= self.deadline:
            self.finish(Outcome(problem=f'Post "{self.url}": context deadline exceeded'))


class Unanswered(Exception):  # noqa: N818 - an event, not a defect
    """A request has to wait until these calls have ended."""

    def __init__(self, calls: Sequence[WebhookCall]) -> None:
        super().__init__()
        self.calls = tuple(calls)


@dataclass(slots=True)
class Attempt:
    """What all attempts of a request share.

    Attributes:
        seed: of the random numbers of each attempt.
        now: the time of day in all of them.
        kept: what earlier attempts have done for good.
    """

    seed: int
    now: datetime
    kept: dict[str, Any] = field(default_factory=dict[str, Any])
    _calls: dict[str, WebhookCall] = field(default_factory=dict[str, WebhookCall])
    _number: int = 0

    def begin(self) -> Random:
        """Begin another attempt; return its random numbers.

        Raises:
            Failure: 504, there were too many, because what is stored changes all the time.
        """
        self._number += 1
        if self._number > _MAX_ATTEMPTS:
            why = "Timeout: request did not complete within requested timeout"
            raise Failure(504, "Timeout", f"{why} - too many changes while webhooks were called")
        return Random(self.seed)  # noqa: S311 - uids and names, no secrets

    def uid(self, *parts: bytes) -> str:
        """Return the uid of a review with this content; it is the same in all attempts."""
        digest = sha256(b"\0".join([str(self.seed).encode(), *parts])).digest()
        return str(UUID(bytes=digest[:16], version=4))

    def call(self, key: str, make: Callable[[], WebhookCall]) -> WebhookCall:
        """Return the call of an earlier attempt, or a new one."""
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = make()
        return call

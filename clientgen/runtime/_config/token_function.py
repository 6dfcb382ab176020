"""Functions that return bearer tokens, and their last answer."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ConfigError
from .authorization_header import is_header_safe

if TYPE_CHECKING:
    from .._clock import Clock

TokenFunction: TypeAlias = Callable[[], str | Awaitable[str]]
"""A function that returns a token. Asyncio clients also take coroutine functions."""

CALL_SECONDS = 300.0
"""The limit of a call for a request that has no deadline of its own."""

# As in Go's oauth2, a token is not used in the last seconds before its expiry.
_LEEWAY = timedelta(seconds=10)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TokenAnswer:
    """A token, and the time until which it is used. Answers compare by identity."""

    token: str
    expires: datetime | None
    certificate: None = None


class TokenSource:
    """A token function and its last answer, which all clients of a configuration share.

    An answer is used until the `exp` of the token, if the token is a JWT, or until it is rejected.
    `take_turn` makes sure that the function is never called twice at once.
    """

    __slots__ = ("_answer", "_flight", "_lock", "_rejected", "function", "is_async")

    def __init__(self, function: TokenFunction) -> None:
        self.function = function
        called = getattr(function, "__call__", None)  # noqa: B004 - its own function
        self.is_async = iscoroutinefunction(function) or iscoroutinefunction(called)
        self._answer: TokenAnswer | None = None
        self._rejected: object = None
        self._flight: Future[None] | None = None
        self._lock = threading.Lock()

    def call(self, flight: Future[None]) -> None:
        """Call an ordinary function, keep its token, and end the turn.

        The call goes on when its first caller waits no longer. If the function returns a coroutine,
        there is no token, and `is_async` becomes true.

        Raises:
            ConfigError: the function failed, or did not return a token.
        """
        try:
            token = self._result()
            if isinstance(token, Coroutine):
                token.close()
                self.is_async = True
            else:
                self.keep(token)
        finally:
            self.end_turn(flight)

    def _result(self) -> object:
        try:
            return self.function()
        except Exception as error:
            raise self.failed(error) from error

    @property
    def where(self) -> str:
        """The beginning of messages."""
        name = getattr(self.function, "__qualname__", None) or type(self.function).__qualname__
        return f"the token function {name}"

    def cached(self, clock: Clock) -> TokenAnswer | None:
        """Return the last answer; None if it has expired or was rejected."""
        answer = self._answer
        if answer is None or answer is self._rejected:
            return None
        return None if answer.expires is not None and clock.now() > answer.expires else answer

    def answer(self, clock: Clock) -> TokenAnswer:
        """Return the last answer. `keep` has stored one before; it may have expired since."""
        del clock
        assert self._answer is not None
        return self._answer

    def reject(self, answer: object) -> None:
        """Note that the server has rejected an answer. A newer answer stays in use."""
        self._rejected = answer

    def __call__(self) -> str | Awaitable[str]:
        """Call the function."""
        return self.function()

    def take_turn(self) -> tuple[Future[None], bool]:
        """Return the call that is running, and whether it is the caller's own.

        The caller of its own call must end it with `end_turn`. Others wait for it.
        """
        with self._lock:
            if self._flight is not None:
                return self._flight, False
            self._flight = Future()
            return self._flight, True

    def end_turn(self, flight: Future[None]) -> None:
        """End a call, whether or not there is an answer."""
        with self._lock:
            self._flight = None
        flight.set_result(None)

    def keep(self, token: object) -> None:
        """Keep what the function has returned.

        Raises:
            ConfigError: it is not a token. The message does not show it.
        """
        if not isinstance(token, str):
            raise ConfigError(f"{self.where} must return a string, not {_shown_type(token)}")
        token = token.strip()
        if not token:
            raise ConfigError(f"{self.where} returned an empty token")
        if not is_header_safe(token):
            message = "a token with a space or a character that HTTP headers do not allow"
            raise ConfigError(f"{self.where} returned {message}")
        self._answer = TokenAnswer(token, usable_until(token))

    def failed(self, error: Exception) -> ConfigError:
        """Return the error for an exception of the function, whose text may have secrets."""
        return ConfigError(f"{self.where} raised {type(error).__name__}")


def _shown_type(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def expiry(token: str) -> datetime | None:
    """Return the `exp` of a JWT; None if the text is not a JWT, or has no usable `exp`.

    The signature is not checked: the time decides only when the program gets a new token.
    """
    try:
        _, encoded, _ = token.split(".")
        payload = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        claims: Any = json.loads(payload)
        return datetime.fromtimestamp(float(claims["exp"]), UTC)
    except (ValueError, TypeError, KeyError, OverflowError, OSError, RecursionError):
        return None


def usable_until(token: str) -> datetime | None:
    """Return the time until which a token is used; None if it does not tell when it expires."""
    expires = expiry(token)
    return None if expires is None else max(expires, _EPOCH) - _LEEWAY

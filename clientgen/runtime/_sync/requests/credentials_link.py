# Derived from _async/requests/credentials_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Adds credentials to the headers of requests, and renews them after a 401."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..._http.request import HttpRequest, check_headers
from ..._redaction import Hidden, Unpicklable
from ...errors import RequestTimeout
from .._primitives import Lock, awaited, finished, run_blocking, run_with_lock
from .request_link import PassThrough

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..._clock import Clock
    from ..._config.cluster_config import Credential
    from ..._config.credentials import Credentials
    from ..._config.token_function import TokenSource
    from ..._http.request import Headers, HttpResponse
    from ..._http.request_deadlines import RequestDeadlines
    from ..transport_protocol import ByteStream
    from .connections import Connections
    from .request_link import StreamOpening

_UNAUTHORIZED = 401


class Signer(Unpicklable):
    """Adds the current credential and the fixed headers of the client to requests.

    Args:
        credentials: The credentials of the configuration.
        connections: The connections, which are opened again if a credential needs new connections.
        fixed: The headers of all requests. A request with a header of the same name replaces them.
        deadlines: The deadlines of the client.
        owner: The name of the client, for errors.
    """

    def __init__(
        self,
        credentials: Credentials,
        connections: Connections,
        fixed: Headers,
        deadlines: RequestDeadlines,
        *,
        owner: str,
    ) -> None:
        check_headers(fixed)
        self._credentials = credentials
        self._source = credentials.token_source
        self._connections = connections
        self._fixed = self._headers = fixed
        self._names = _names_of(fixed)
        self._deadlines = deadlines
        self._owner = owner
        self._in_use: Credential | None = None
        self._renewal = Lock()
        self._closed = False

    def current(self) -> Credential | None:
        """Return the credential if it is valid and in use; None if `ready` must be called."""
        credential = self._credentials.cached()
        return credential if credential is self._in_use else None

    def ready(self, deadline: float | None) -> Credential:
        """Return a valid credential, with open connections for it.

        Raises:
            RequestTimeout: There was no credential by the deadline. An exec plugin continues to
                run, and the next call may use its output.
            ConfigError: The credential cannot be read, or the token function failed.
            RuntimeError: The client is closed.
        """
        credential = self.current()
        if credential is not None:
            return credential
        self._check_open()
        try:
            until = self._until(deadline)
            credential = run_with_lock(self._renewal, self._renew, until)
        except TimeoutError:
            raise RequestTimeout(self._late()) from None
        # If the client was closed meanwhile, no later call would close the new connections.
        self._check_open()
        return credential

    def renew_rejected(self, rejected: Credential, deadline: float | None) -> bool:
        """Get the credential again after a 401. Returns whether it is another credential."""
        self._credentials.rejected(rejected)
        return self.ready(deadline) is not rejected

    def signed(self, request: HttpRequest) -> HttpRequest:
        """Return a request with all its headers.

        Raises:
            ValueError: A header of the request cannot be sent.
        """
        headers = self._headers
        if request.headers:
            check_headers(request.headers)
            own = {name.lower() for name, _ in request.headers}
            if not own.isdisjoint(self._names):
                headers = tuple(pair for pair in headers if pair[0].lower() not in own)
            headers = request.headers + headers
        return HttpRequest(request.method, request.target, headers, request.body, request.attempt)

    def close(self) -> None:
        """Refuse further requests."""
        self._closed = True
        self._in_use = None

    def _check_open(self) -> None:
        if self._closed:
            self._in_use = None
            raise RuntimeError(f"{self._owner} is closed")

    def _until(self, deadline: float | None) -> float | None:
        """Return the real time until which a request waits for credentials."""
        until = self._deadlines.real_deadline(deadline)
        if until is None and self._source is not None:
            from ..._config.token_function import CALL_SECONDS

            until = monotonic() + CALL_SECONDS
        return until

    def _late(self) -> str:
        reason = f": {self._source.where} has not returned" if self._source else ""
        return f"the deadline passed while waiting for credentials{reason}"

    def _renew(self) -> Credential:
        """Return the valid credential, and use it for the next requests."""
        credential = self._credentials.cached()
        if credential is None:
            if self._source is not None:
                _call_function(self._source, self._credentials.clock)
            credential = run_blocking(self._credentials.refresh)
        if credential is not self._in_use:
            self._use_credential(credential)
        return credential

    def _use_credential(self, credential: Credential) -> None:
        self._connections.open(credential)
        authorization = credential.authorization
        own = (("Authorization", Hidden(authorization)),) if authorization else ()
        check_headers(own)
        self._headers = self._fixed + own
        self._names = _names_of(self._headers)
        self._in_use = credential


def _names_of(headers: Headers) -> frozenset[str]:
    """Return the names of headers in lower case."""
    return frozenset(name.lower() for name, _ in headers)


def _call_function(source: TokenSource, clock: Clock) -> None:
    """Call a token function, unless it has an answer. Another caller's call is waited for."""
    while source.cached(clock) is None:
        flight, is_own = source.take_turn()
        if not is_own:
            finished(flight)
        elif source.is_async:
            _await_function(source, flight)
            return
        else:
            run_blocking(partial(source.call, flight))
            if not source.is_async:  # otherwise, the loop awaits the function
                return


def _await_function(source: TokenSource, flight: Future[None]) -> None:
    """Call a coroutine function, keep its token, and end the turn."""
    try:
        work: Any = source.function()
        work = awaited(source.where, work)
        source.keep(_result(source, work))
    finally:
        source.end_turn(flight)


def _result(source: TokenSource, work: Any) -> object:
    try:
        return work
    except Exception as error:
        raise source.failed(error) from error


class CredentialsLink(PassThrough):
    """Signs requests. After a 401, a request is sent once more if there is another credential."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request with credentials."""
        signer = self._signer
        credential = signer.current() or signer.ready(deadline)
        response = self.next.send(signer.signed(request), deadline)
        if response.status == _UNAUTHORIZED and signer.renew_rejected(credential, deadline):
            response = self.next.send(signer.signed(request), deadline)
        return response

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Open a stream with credentials."""
        signer = self._signer
        credential = signer.ready(deadline)
        stream = self.next.stream(signer.signed(request), deadline, opening)
        if stream.status == _UNAUTHORIZED and signer.renew_rejected(credential, deadline):
            stream.close()
            stream = self.next.stream(signer.signed(request), deadline, opening)
        return stream

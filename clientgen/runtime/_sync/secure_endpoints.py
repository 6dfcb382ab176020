# Derived from _async/secure_endpoints.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Endpoints with TLS whose clients are authenticated and authorized by the API server."""

from __future__ import annotations

import logging
from socket import gethostname
from typing import TYPE_CHECKING, Any

from .._config.served_pair import ServedPair
from .._controllers.access_reviews import (
    ACCESS_REVIEWS,
    ALLOWED_SECONDS,
    DENIED_SECONDS,
    TOKEN_REVIEWS,
    TOKEN_SECONDS,
    ReviewCache,
    access_review,
    bearer_token,
    is_allowed,
    token_key,
    token_review,
    user_of,
)
from .._net.endpoint_messages import EndpointAnswer
from .._net.served_certificates import ClientAuthorities, ServedCertificates
from ..errors import ClientError
from ._primitives import short_lock
from .http_endpoints import Endpoints
from .recipe_target import any_client

if TYPE_CHECKING:
    from ssl import SSLContext

    from .._clock import Clock
    from .._controllers.review_metrics import PrometheusReviewMetrics
    from .._controllers.secure_endpoint import SecureEndpoint
    from .._http.resource import Resource
    from .._models.unstructured import Unstructured
    from .._net.endpoint_messages import EndpointRequest
    from ._primitives import Function
    from .rest import Rest

_TIMEOUT_SECONDS = 10.0

logger = logging.getLogger("clientgen.runtime.endpoints")


def secure_endpoints(
    endpoint: SecureEndpoint,
    answer: Function[[EndpointRequest], EndpointAnswer],
    rest: Rest,
    clock: Clock,
    metrics: PrometheusReviewMetrics | None,
) -> Endpoints:
    """Return the server of a secure endpoint.

    Raises:
        ConfigError: The certificates are not usable.
        ImportError: A certificate is to be made, and the extra is not installed.
        ValueError: The address is malformed.
    """
    tls = _tls_context(endpoint, clock)
    if endpoint.authorize:
        answer = ReviewFilter(answer, rest, clock, metrics).answer
    return Endpoints("metrics", endpoint.address, answer, tls=tls)


def _tls_context(endpoint: SecureEndpoint, clock: Clock) -> SSLContext:
    client_ca = None if endpoint.client_ca is None else ClientAuthorities(endpoint.client_ca)
    if endpoint.certificates is not None:
        return ServedCertificates(endpoint.certificates, client_ca).context
    from .._admission.memory_certificate import MemoryCertificate  # needs an extra

    made = MemoryCertificate(["localhost", "127.0.0.1", "::1", gethostname()])
    return ServedPair(lambda: made.current(clock.now()), client_ca).context


class ReviewFilter:
    """Answers only requests of clients that the API server knows, and allows the path.

    Args:
        answer: The answer for these.
        rest: The client for reviews.
        clock: The clock of the caches.
        metrics: The metrics; None for none.
    """

    def __init__(
        self,
        answer: Function[[EndpointRequest], EndpointAnswer],
        rest: Rest,
        clock: Clock,
        metrics: PrometheusReviewMetrics | None,
    ) -> None:
        self._answer = answer
        self._rest = rest
        self._clock = clock
        self._metrics = metrics
        self._lock = short_lock()
        self._users: ReviewCache[dict[str, Any]] = ReviewCache()
        self._decisions: ReviewCache[bool] = ReviewCache()

    def answer(self, request: EndpointRequest) -> EndpointAnswer:
        """Answer a request, or refuse it with 401, 403 or 500."""
        answer = self._refusal(request)
        if answer is None:
            answer = self._answer(request)
        if self._metrics is not None:
            self._metrics.answered(answer.status)
        return answer

    def _refusal(self, request: EndpointRequest) -> EndpointAnswer | None:
        token = bearer_token(request.headers)
        key = token_key(token)
        try:
            user = self._user(token, key) if token else None
        except (ClientError, OSError) as error:
            logger.warning("a token cannot be reviewed: %s", error)
            return EndpointAnswer(500, b"Authentication failed\n")
        if user is None:
            challenge = (("WWW-Authenticate", "Bearer"),)
            return EndpointAnswer(401, b"Unauthorized\n", headers=challenge)
        name = user["username"]
        try:
            allowed = self._may(user, key, request.method.lower(), request.path)
        except (ClientError, OSError) as error:
            logger.warning("the access of %r cannot be reviewed: %s", name, error)
            return EndpointAnswer(500, f"Authorization for user {name} failed\n".encode())
        if not allowed:
            return EndpointAnswer(403, f"Authorization denied for user {name}\n".encode())
        return None

    def _user(self, token: str, key: bytes) -> dict[str, Any] | None:
        with self._lock:
            user = self._users.get(key, self._clock.monotonic())
        if user is None:
            user = user_of(self._ask(TOKEN_REVIEWS, token_review(token)))
            if user is not None:
                with self._lock:
                    self._users.put(key, user, self._clock.monotonic() + TOKEN_SECONDS)
        return user

    def _may(self, user: dict[str, Any], key: bytes, verb: str, path: str) -> bool:
        about = (key, verb, path)
        with self._lock:
            allowed = self._decisions.get(about, self._clock.monotonic())
        if allowed is None:
            allowed = is_allowed(self._ask(ACCESS_REVIEWS, access_review(user, verb, path)))
            seconds = ALLOWED_SECONDS if allowed else DENIED_SECONDS
            with self._lock:
                self._decisions.put(about, allowed, self._clock.monotonic() + seconds)
        return allowed

    def _ask(self, resource: Resource, review: Unstructured) -> Unstructured:
        if self._metrics is not None:
            self._metrics.asked(resource.kind)
        client = any_client(self._rest, resource, None)
        return client.create(review, timeout=_TIMEOUT_SECONDS)

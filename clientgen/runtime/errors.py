"""Every exception.

::

    ClientError
    ├── ConfigError                    no usable cluster configuration
    ├── DecodeError                    the received data is not a JSON object
    ├── NoResourceMatch                the server has no such resource or kind; also a LookupError
    │   └── DiscoveryFailed            unknown, because the group is not available now
    ├── AmbiguousResource              several resources match; also a LookupError
    ├── NotSynced                      a cache was read or waited for, but is not synced
    │   └── SyncTimeout                caches did not sync in time; also a TimeoutError
    ├── CacheCorrupted                 an object in a compressed cache was damaged in memory
    ├── LeadershipLost                 the lease was lost: the program must not write any more
    ├── TerminalError                  reconcile cannot succeed before the object changes
    ├── ReconcileTimeout               reconcile took too long; also a TimeoutError
    ├── OperationRefused               an operation such as drain cannot continue
    ├── WaitFailed                     a condition cannot become true any more
    ├── WaitTimeout                    a condition did not become true in time; also a TimeoutError
    ├── ExecFailed                     a command in a container failed: its exit code is not 0
    ├── CopyFailed                     files could not be copied to or from a container
    ├── ProxyFailed                    a pod, service or node answered with 400 or more
    ├── ApiError                       the server responded with an error; see .status
    │   ├── BadRequest                 400
    │   ├── Unauthorized               401
    │   ├── Forbidden                  403
    │   ├── NotFound                   404
    │   ├── MethodNotAllowed           405
    │   ├── NotAcceptable              406
    │   ├── AlreadyExists              409, only by reason
    │   ├── Conflict                   409, a stale resourceVersion or another uid
    │   │   └── ApplyConflict          other field managers own the fields; do not retry
    │   ├── Gone                       410
    │   │   └── Expired                the resourceVersion or the continue token is too old
    │   ├── RequestEntityTooLarge      413
    │   ├── UnsupportedMediaType       415
    │   ├── Invalid                    422
    │   ├── TooManyRequests            429
    │   ├── InternalError              500
    │   ├── ServerTimeout              500
    │   ├── StorageReadError           500
    │   ├── ServiceUnavailable         503
    │   └── Timeout                    504
    └── TransportError                 there was no complete response
        ├── ConnectionFailed           no connection, or no TLS
        ├── RequestTimeout             the call's own deadline passed; also a TimeoutError
        └── ResponseBroken             the response is not valid
            └── ConnectionLost         the connection was lost before the response was complete

The classes below ApiError are named after the `reason` of the server's Status
(https://kubernetes.io/docs/reference/using-api/api-concepts/ and apimachinery's StatusReason).
The reason determines the class. If the reason is empty or unknown, the HTTP code determines the
class. A code never leads to AlreadyExists or Expired, because their codes have two meanings
(client-go: apierrors.IsConflict and similar functions). No message contains a credential. All
errors can be pickled.
"""

# The classes have the names of the server's reasons, which do not end in Error.
# ruff: noqa: N818

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ._models.decode_error import ClientError, DecodeError
from ._models.statuses import make_sound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._models.exec_result import ExecResult
    from ._models.meta_v1 import Status, StatusCause, StatusDetails
    from ._models.proxy_response import ProxyResponse

__all__ = [
    "AlreadyExists",
    "AmbiguousResource",
    "ApiError",
    "ApplyConflict",
    "BadRequest",
    "CacheCorrupted",
    "ClientError",
    "ConfigError",
    "Conflict",
    "ConnectionFailed",
    "ConnectionLost",
    "CopyFailed",
    "DecodeError",
    "DiscoveryFailed",
    "ExecFailed",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "LeadershipLost",
    "MethodNotAllowed",
    "NoResourceMatch",
    "NotAcceptable",
    "NotFound",
    "NotSynced",
    "OperationRefused",
    "ProxyFailed",
    "ReconcileTimeout",
    "RequestEntityTooLarge",
    "RequestInfo",
    "RequestTimeout",
    "ResponseBroken",
    "ServerTimeout",
    "ServiceUnavailable",
    "StorageReadError",
    "SyncTimeout",
    "TerminalError",
    "Timeout",
    "TooManyRequests",
    "TransportError",
    "Unauthorized",
    "UnsupportedMediaType",
    "WaitFailed",
    "WaitTimeout",
]


class ConfigError(ClientError):
    """There is no valid configuration of a cluster. The message has the reason."""


class NotSynced(ClientError):
    """A cache is not synced, so it may lack objects that exist. The message says why."""


class SyncTimeout(NotSynced, TimeoutError):
    """Caches did not sync in time. The message lists them with the server's last response."""


class CacheCorrupted(ClientError):
    """An object in a compressed cache was damaged in memory. The cache reads it again.

    Attributes:
        kind: The kind of the object.
        key: Its key, `namespace/name`.
        why: What is wrong.
    """

    def __init__(self, kind: str, key: str = "", why: str = "") -> None:
        super().__init__(kind, key, why)
        self.kind = kind
        self.key = key
        self.why = why

    def __str__(self) -> str:
        return f"{self.kind} {self.key} is corrupted in the cache: {self.why}"


class NoResourceMatch(ClientError, LookupError):
    """The server has no resource or kind of this name. The message has similar names.

    Attributes:
        asked: the name.
        similar: names of similar resources, such as `deployments.apps`.
        failures: the group versions that could not be read, with the reasons.
    """

    def __init__(
        self, asked: str, similar: Sequence[str] = (), failures: Sequence[str] = ()
    ) -> None:
        super().__init__(asked, tuple(similar), tuple(failures))
        self.asked = asked
        self.similar = tuple(similar)
        self.failures = tuple(failures)

    def __str__(self) -> str:
        hint = f"; did you mean {' or '.join(self.similar)}?" if self.similar else ""
        unread = f" (not available now: {'; '.join(self.failures)})" if self.failures else ""
        return f"the server has no resource {one_line(self.asked)!r}{hint}{unread}"


class DiscoveryFailed(NoResourceMatch):
    """The group of the resource is not available now, so it is unknown whether the resource exists.

    Attributes:
        asked: the name of the resource.
        failures: the versions of the group that could not be read, with the reasons.
    """

    def __str__(self) -> str:
        reasons = "; ".join(self.failures)
        return f"the resource {one_line(self.asked)!r} cannot be looked up: {reasons}"


class AmbiguousResource(ClientError, LookupError):
    """Several resources match a name. The message lists them.

    Attributes:
        asked: the name.
        matches: the resources, such as `deployments.v1.apps`.
    """

    def __init__(self, asked: str, matches: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(asked, tuple(matches), hint)
        self.asked = asked
        self.matches = tuple(matches)
        self._hint = hint

    def __str__(self) -> str:
        shown = ", ".join(self.matches)
        return f"{one_line(self.asked)!r} matches several resources: {shown}{self._hint}"


class LeadershipLost(ClientError):
    """The lease was not renewed in time, or another process holds it."""


class TerminalError(ClientError):
    """Raised by a reconcile function if another attempt would fail in the same way.

    The controller logs and counts the error, and does not requeue the object. The next attempt is
    made when the object changes:

        raise TerminalError("the schedule is not valid") from error

    (controller-runtime: reconcile.TerminalError.)
    """


class ReconcileTimeout(ClientError, TimeoutError):
    """A reconciliation did not end within the `timeout` of its controller.

    The object is reconciled again later, as after any other error. In a thread that goes on after
    the timeout, each further request raises this error.
    """


class OperationRefused(ClientError):
    """An operation of several requests, such as `drain`, cannot continue. The message says why."""


class ExecFailed(ClientError):
    """A command in a container failed, and `check=True` was passed. Its exit code is not 0.

    The message has the end of the standard error. `result` has the whole output.
    """

    def __init__(self, message: str, result: ExecResult) -> None:
        super().__init__(message, result)
        self.result = result

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def exit_code(self) -> int:
        """The exit code."""
        return self.result.exit_code


class CopyFailed(ClientError):
    """Some or all files were not copied to or from a container. The message says why."""


class ProxyFailed(ClientError):
    """A pod, service or node answered with status 400 or more, and `check=True` was passed.

    The message has the beginning of the body. `response` is the whole response.
    """

    def __init__(self, message: str, response: ProxyResponse) -> None:
        super().__init__(message, response)
        self.response = response

    def __str__(self) -> str:
        return str(self.args[0])


class WaitFailed(ClientError):
    """The awaited condition cannot become true any more, or the condition of `fail=` is true.

    The message has the reason. `object` is the last state of the object that ended the wait; None
    if there is none.
    """

    def __init__(self, message: str, obj: Any = None) -> None:
        super().__init__(message)
        self.object = obj


class WaitTimeout(ClientError, TimeoutError):
    """The awaited condition did not become true in time. The message has the current state.

    `object` is the last state of an object that does not meet the condition; None if there is none.
    """

    def __init__(self, message: str, obj: Any = None) -> None:
        super().__init__(message)
        self.object = obj


# Paths of requests whose objects contain credentials.
_IS_SECRET_PATH = re.compile(
    r"/(?:secrets|tokenreviews)(?:/|$)|/serviceaccounts/[^/]+/token$"
).search


class RequestInfo(Struct, frozen=True):
    """The request that failed: its HTTP verb and path, without the query."""

    verb: str
    path: str

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"


class ApiError(ClientError):
    """The server responded with an error. `status` is the server's Status."""

    def __init__(self, status: Status, request: RequestInfo | None = None) -> None:
        super().__init__(status, request)
        self.status = status
        self.request = request

    @property
    def code(self) -> int:
        """The HTTP code; 0 if the server sent none."""
        return self.status.code or 0

    @property
    def reason(self) -> str:
        """The server's reason. May be empty, even for a class named after a reason."""
        return self.status.reason or ""

    @property
    def message(self) -> str:
        """The server's message."""
        return self.status.message or f"the server answered {self.code or 'with an error'}"

    @property
    def details(self) -> StatusDetails | None:
        """Details about the object, if the server sent any."""
        return self.status.details

    @property
    def causes(self) -> list[StatusCause]:
        """The individual causes, for example one per invalid field."""
        details = self.details
        return (details.causes or []) if details else []

    @property
    def retry_after(self) -> int | None:
        """The seconds to wait before a retry, if the server asks clients to wait; else None."""
        details = self.details
        return (details.retry_after_seconds or None) if details else None

    def has_cause(self, reason: str) -> bool:
        """Return whether one of the causes has this reason, such as `NamespaceTerminating`."""
        return any(cause.reason == reason for cause in self.causes)

    def __str__(self) -> str:
        where = f"{self.request}: " if self.request else ""
        return f"{where}{self._shown_message()} ({self.code} {self.reason or type(self).__name__})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _shown_message(self) -> str:
        """Return the message without quoted objects, if the request was about a secret object."""
        if self.request is None or not _IS_SECRET_PATH(self.request.path):
            return self.message
        words, quoted, _ = self.message.partition("{")
        return f"{words}… (the object is hidden; see `message`)" if quoted else words


class BadRequest(ApiError):
    """The server cannot parse the request: its body, a parameter or a selector is malformed."""


class Unauthorized(ApiError):
    """The credentials are missing, wrong or expired."""


class Forbidden(ApiError):
    """Authorization or admission rejected the request."""


class NotFound(ApiError):
    """The object or the resource does not exist."""


class MethodNotAllowed(ApiError):
    """The resource does not support this verb."""


class NotAcceptable(ApiError):
    """The server supports none of the accepted media types."""


class AlreadyExists(ApiError):
    """An object with this name already exists."""


class Conflict(ApiError):
    """The object has changed since it was read, or was replaced by another with the same name."""


class ApplyConflict(Conflict):
    """Other field managers own fields of the applied object.

    The causes name the managers and the fields. Applying again gives the same result: leave the
    fields out, or take them over with `force=True`.
    """


class Gone(ApiError):
    """The requested version is no longer available. Catching it also catches `Expired`."""


class Expired(Gone):
    """The resourceVersion or the continue token is too old. List again."""

    @property
    def continue_(self) -> str:
        """A token that continues the list in a newer state; empty if the server sent none."""
        return self.status.metadata.continue_ or ""


class RequestEntityTooLarge(ApiError):
    """The body exceeds the server's limit (3 MiB by default)."""


class UnsupportedMediaType(ApiError):
    """The resource does not accept this content type, such as a strategic merge patch."""


class Invalid(ApiError):
    """Validation failed. The causes name the fields."""


class TooManyRequests(ApiError):
    """The server is overloaded, or a disruption budget does not allow the eviction."""


class InternalError(ApiError):
    """The server had an internal error."""


class ServerTimeout(ApiError):
    """The server did not finish in time. The client may retry the request."""


class StorageReadError(ApiError):
    """The server cannot read a stored object."""


class ServiceUnavailable(ApiError):
    """The server, or an API server behind it, is unavailable."""


class Timeout(ApiError):
    """The request exceeded the server's time limit. A write may or may not have had an effect."""


class TransportError(ClientError):
    """There was no complete response. A write may or may not have had an effect."""


class ConnectionFailed(TransportError):
    """No connection could be established: name lookup, port, network or TLS failed."""


class RequestTimeout(TransportError, TimeoutError):
    """The deadline set with `timeout=` has passed."""


class ResponseBroken(TransportError):
    """The response is empty, incomplete or not valid HTTP."""


class ConnectionLost(ResponseBroken):
    """The connection was lost before the response was complete."""


# Error messages show at most this many characters of text that a server sent.
_MAX_SHOWN_CHARACTERS = 200

_BY_REASON: dict[str, type[ApiError]] = {
    each.__name__: each
    for each in (
        BadRequest,
        Unauthorized,
        Forbidden,
        NotFound,
        MethodNotAllowed,
        NotAcceptable,
        AlreadyExists,
        Conflict,
        Gone,
        Expired,
        RequestEntityTooLarge,
        UnsupportedMediaType,
        Invalid,
        TooManyRequests,
        InternalError,
        ServerTimeout,
        StorageReadError,
        ServiceUnavailable,
        Timeout,
    )
}

_BY_CODE: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: MethodNotAllowed,
    406: NotAcceptable,
    409: Conflict,
    410: Gone,
    413: RequestEntityTooLarge,
    415: UnsupportedMediaType,
    422: Invalid,
    429: TooManyRequests,
    500: InternalError,
    503: ServiceUnavailable,
    504: Timeout,
}


def one_line(text: str) -> str:
    """Make text from a server safe for a message: one line, printable, of limited length."""
    line = " ".join(text[: 4 * _MAX_SHOWN_CHARACTERS].split())
    shown = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line
    )
    return shown if len(shown) <= _MAX_SHOWN_CHARACTERS else f"{shown[:_MAX_SHOWN_CHARACTERS]}…"


def api_error(status: Status, request: RequestInfo | None = None) -> ApiError:
    """Create the error for a Status. Invalid parts of the Status are dropped."""
    make_sound(status)
    error_class = _BY_REASON.get(status.reason or "") or _BY_CODE.get(status.code or 0, ApiError)
    error = error_class(status, request)
    if error_class is Conflict and error.has_cause("FieldManagerConflict"):
        return ApplyConflict(status, request)
    return error

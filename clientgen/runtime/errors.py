"""Everything a call can raise.

::

    ClientError
    ├── ConfigError                    no usable cluster configuration
    ├── DecodeError                    the answer is not JSON
    ├── NotSynced                      a cache is read, or waited for, that is not full
    │   └── SyncTimeout                it was not full in time; also a TimeoutError
    ├── ApiError                       the server said no; .status holds its words
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
    └── TransportError                 there was no (whole) answer
        ├── ConnectionFailed           no connection, or no TLS
        ├── RequestTimeout             the call's own deadline passed; also a TimeoutError
        └── ResponseBroken             there was an answer, but it makes no sense
            └── ConnectionLost         the connection was lost before the answer was whole

The classes below ApiError are named after the `reason` of the server's Status
(https://kubernetes.io/docs/reference/using-api/api-concepts/ and apimachinery's StatusReason).
The reason decides; where it is empty or unknown the HTTP code does, except for AlreadyExists and
Expired, whose codes have two meanings (client-go: apierrors.IsConflict and friends). No message
holds a credential, and every error survives pickling.
"""

# The classes are called what the server calls the reasons.
# ruff: noqa: N818

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ._models.decode_error import ClientError, DecodeError
from ._models.statuses import make_sound

if TYPE_CHECKING:
    from ._models.meta_v1 import Status, StatusCause, StatusDetails

__all__ = [
    "AlreadyExists",
    "ApiError",
    "ApplyConflict",
    "BadRequest",
    "ClientError",
    "ConfigError",
    "Conflict",
    "ConnectionFailed",
    "ConnectionLost",
    "DecodeError",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "MethodNotAllowed",
    "NotAcceptable",
    "NotFound",
    "NotSynced",
    "RequestEntityTooLarge",
    "RequestInfo",
    "RequestTimeout",
    "ResponseBroken",
    "ServerTimeout",
    "ServiceUnavailable",
    "StorageReadError",
    "SyncTimeout",
    "Timeout",
    "TooManyRequests",
    "TransportError",
    "Unauthorized",
    "UnsupportedMediaType",
]


class ConfigError(ClientError):
    """No cluster can be reached with this configuration; the message says why."""


class NotSynced(ClientError):
    """A cache is not full yet, so what it does not have says nothing; the message says why."""


class SyncTimeout(NotSynced, TimeoutError):
    """Caches were not full in time; the message names each, and what the server said last."""


_IS_SECRET = re.compile(r"/(?:secrets|tokenreviews)(?:/|$)|/serviceaccounts/[^/]+/token$").search


class RequestInfo(Struct, frozen=True):
    """Which request failed: the HTTP verb and the path, without the query."""

    verb: str
    path: str

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"


class ApiError(ClientError):
    """The server refused; `status` is what it said."""

    def __init__(self, status: Status, request: RequestInfo | None = None) -> None:
        super().__init__(status, request)
        self.status = status
        self.request = request

    @property
    def code(self) -> int:
        """The HTTP code, 0 when the server gave none."""
        return self.status.code or 0

    @property
    def reason(self) -> str:
        """The server's reason; may be empty even for a class named after one."""
        return self.status.reason or ""

    @property
    def message(self) -> str:
        """The server's words."""
        return self.status.message or f"the server answered {self.code or 'with an error'}"

    @property
    def details(self) -> StatusDetails | None:
        """What the server said about the object, if anything."""
        return self.status.details

    @property
    def causes(self) -> list[StatusCause]:
        """The single causes, for example one per invalid field."""
        details = self.details
        return (details.causes or []) if details else []

    @property
    def retry_after(self) -> int | None:
        """Seconds the server asks to wait before trying again, if it does."""
        details = self.details
        return (details.retry_after_seconds or None) if details else None

    def has_cause(self, reason: str) -> bool:
        """Whether one of the causes has this reason, such as `NamespaceTerminating`."""
        return any(cause.reason == reason for cause in self.causes)

    def __str__(self) -> str:
        where = f"{self.request}: " if self.request else ""
        return f"{where}{self._shown()} ({self.code} {self.reason or type(self).__name__})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _shown(self) -> str:
        """The message for logs: a server may quote the whole object it was sent."""
        if self.request is None or not _IS_SECRET(self.request.path):
            return self.message
        words, quoted, _ = self.message.partition("{")
        return f"{words}… (the object is hidden; `message` has it)" if quoted else words


class BadRequest(ApiError):
    """The request cannot be understood: a malformed body, parameter or selector."""


class Unauthorized(ApiError):
    """The credentials are missing, wrong or no longer valid."""


class Forbidden(ApiError):
    """Authorization or admission does not allow this."""


class NotFound(ApiError):
    """There is no such object, or no such resource."""


class MethodNotAllowed(ApiError):
    """The resource does not know this verb."""


class NotAcceptable(ApiError):
    """None of the accepted encodings can be served."""


class AlreadyExists(ApiError):
    """An object of this name is there already."""


class Conflict(ApiError):
    """The object has changed since it was read, or is another one of the same name."""


class ApplyConflict(Conflict):
    """Other field managers own fields of the applied object.

    The causes name the managers and the fields. Applying again gives the same answer: leave the
    fields out, or take them over with `force=True`.
    """


class Gone(ApiError):
    """What was asked for is no longer kept. Catch this one to catch `Expired` as well."""


class Expired(Gone):
    """The resourceVersion or the continue token is too old: list again."""

    @property
    def continue_(self) -> str:
        """A fresh token that goes on at the same place in a newer state; empty if there is none."""
        return self.status.metadata.continue_ or ""


class RequestEntityTooLarge(ApiError):
    """The body is larger than the server takes (3 MiB by default)."""


class UnsupportedMediaType(ApiError):
    """The resource does not take this kind of body, such as a strategic patch of a custom one."""


class Invalid(ApiError):
    """Validation failed; the causes name the fields."""


class TooManyRequests(ApiError):
    """The server is busy, or a disruption budget does not allow the eviction."""


class InternalError(ApiError):
    """The server failed."""


class ServerTimeout(ApiError):
    """The server could not finish in time; the request may be tried again."""


class StorageReadError(ApiError):
    """A stored object cannot be read by the server."""


class ServiceUnavailable(ApiError):
    """The server, or the one behind it, is not there."""


class Timeout(ApiError):
    """The request took longer than the server allows; it may or may not have had an effect."""


class TransportError(ClientError):
    """There was no whole answer; a write may or may not have had an effect."""


class ConnectionFailed(TransportError):
    """No connection could be made: the name, the port, the network or TLS."""


class RequestTimeout(TransportError, TimeoutError):
    """The deadline that the caller gave with `timeout=` has passed."""


class ResponseBroken(TransportError):
    """What was answered is not HTTP, is not whole or is empty."""


class ConnectionLost(ResponseBroken):
    """The connection was lost before the answer was whole."""


# How much of what is no HTTP is told.
_LONGEST = 200

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
    """Give what a peer said as a part of a message: in one line, printable, and not too long."""
    line = " ".join(text[: 4 * _LONGEST].split())
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def api_error(status: Status, request: RequestInfo | None = None) -> ApiError:
    """Make the error that says what `status` says, as far as that can be relied on."""
    make_sound(status)
    error_class = _BY_REASON.get(status.reason or "") or _BY_CODE.get(status.code or 0, ApiError)
    error = error_class(status, request)
    if error_class is Conflict and error.has_cause("FieldManagerConflict"):
        return ApplyConflict(status, request)
    return error

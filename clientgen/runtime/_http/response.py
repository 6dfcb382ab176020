"""Converts HTTP responses into objects or errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._models.decode_error import DecodeError
from .._models.meta_v1 import ModelList, Status, StatusCause, StatusDetails
from .._models.statuses import make_sound, wait_seconds
from .._models.unstructured import Object
from ..errors import ApiError, ResponseBroken, api_error
from .representations import check_representation
from .status_codes import FIRST_REDIRECT, FIRST_SERVER_ERROR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .codec import Codec
    from .request import HttpRequest, HttpResponse

T = TypeVar("T", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])

_CONFLICT_STATUS = 409
_MAX_STATUS = 999

# The maximum size of the text that is kept of a body without a Status, such as a proxy's HTML page.
_MAX_KEPT_BYTES = 2048


def read_object(response: HttpResponse, model: type[T], request: HttpRequest, codec: Codec) -> T:
    """Decode the object in a successful response.

    Raises:
        ApiError: the body is a Status with a failure, in spite of the 2xx code.
        ResponseBroken: the body is empty.
        DecodeError: the body is not an object, or has no usable metadata.
    """
    codec = codec.for_answer(response.headers)
    return _read_object(_body_of(response, request), model, request, codec)


def read_list(
    response: HttpResponse, list_model: type[ListT], request: HttpRequest, codec: Codec
) -> ListT:
    """Decode the list in a successful response. Items that do not fit their class are kept.

    Raises:
        ApiError, ResponseBroken, DecodeError: as `read_object`.
    """
    codec, body = codec.for_answer(response.headers), _body_of(response, request)
    items = codec.decode_list(body, list_model, usable=True)
    if getattr(items, "kind", None) == "Status":
        _raise_failure(codec.decode(body, Status), request)
    check_representation(items, list_model, request.info)
    return items


def read_object_or_status(
    response: HttpResponse, model: type[T], request: HttpRequest, codec: Codec
) -> T | Status:
    """Decode the response to a delete: the deleted object, or a Status.

    Raises:
        ApiError, ResponseBroken, DecodeError: as `read_object`.
    """
    codec, body = codec.for_answer(response.headers), _body_of(response, request)
    if codec.kind_of(body) == "Status":
        return _read_object(body, Status, request, codec)
    return _read_object(body, model, request, codec)


def _body_of(response: HttpResponse, request: HttpRequest) -> bytes:
    if not response.body:
        raise ResponseBroken(f"{request.info}: the response is empty")
    return response.body


def _read_object(body: bytes, model: type[T], request: HttpRequest, codec: Codec) -> T:
    obj = codec.decode(body, model, usable=model is not Status)
    if getattr(obj, "kind", None) == "Status":
        _raise_failure(obj if isinstance(obj, Status) else codec.decode(body, Status), request)
    check_representation(obj, model, request.info)
    return obj


def _raise_failure(status: Status, request: HttpRequest) -> None:
    if make_sound(status).status != "Success":
        raise api_error(status, request.info)


# ---- errors -----------------------------------------------------------------------------------


def error_from(request: HttpRequest, response: HttpResponse, codec: Codec) -> ApiError:
    """Return the error for a response with a status outside of 2xx."""
    status = _status_in(response.body, codec.for_answer(response.headers))
    if status is None:
        status = _make_status(request.method, response)
    if not _is_error_code(status.code):
        status.code = response.status
    seconds = retry_after(response.headers)
    if seconds is not None:
        status.details = status.details or StatusDetails()
        status.details.retry_after_seconds = status.details.retry_after_seconds or seconds
    return api_error(status, request.info)


def _is_error_code(code: int | None) -> bool:
    """Return whether a code in a body is an error code. A hostile server may send any number."""
    return code is not None and FIRST_REDIRECT <= code <= _MAX_STATUS


def retry_after(headers: Mapping[str, str]) -> int | None:
    """Return the seconds of a Retry-After header; see `statuses.wait_seconds`."""
    return wait_seconds(headers.get("retry-after", ""))


def _status_in(body: bytes, codec: Codec) -> Status | None:
    try:
        return make_sound(codec.decode(body, Status)) if codec.kind_of(body) == "Status" else None
    except DecodeError:
        return None


# The reason and the message for a status code, if the server sends no Status. Without a message,
# the text of the body is the message (apimachinery: NewGenericServerResponse).
_REASONS: dict[int, tuple[str, str | None]] = {
    400: ("BadRequest", "the server cannot understand the request"),
    401: ("Unauthorized", "the server wants valid credentials"),
    403: ("Forbidden", None),
    404: ("NotFound", "the server does not know this resource"),
    405: ("MethodNotAllowed", "the server does not allow this verb here"),
    406: ("NotAcceptable", None),
    409: ("Conflict", "the server reports a conflict"),
    415: ("UnsupportedMediaType", None),
    422: ("Invalid", "the server finds an error in the request"),
    429: ("TooManyRequests", "the server has too many requests and asks to try again later"),
    503: ("ServiceUnavailable", "the server cannot handle the request at the moment"),
    504: ("Timeout", "the server did not answer in time and may still be at work"),
}


def _make_status(method: str, response: HttpResponse) -> Status:
    """Create a Status for a response without one, for example from a proxy."""
    code = response.status
    text = response.body[:_MAX_KEPT_BYTES].decode("utf-8", "replace").strip()
    reason, message = _REASONS.get(code, ("", f"the server answered with the code {code}"))
    if code >= FIRST_SERVER_ERROR and not reason:
        reason, message = "InternalError", "an error of the server prevented the request"
        if text and not text.startswith("<"):  # an HTML page begins with nothing useful
            message = f"{message}: {text}"
    if code == _CONFLICT_STATUS and method == "POST":
        reason = "AlreadyExists"
    cause = StatusCause(reason="UnexpectedServerResponse", message=text or "unknown")
    return Status(
        status="Failure",
        code=code,
        reason=reason,
        message=message or text or "the server gave no reason",
        details=StatusDetails(causes=[cause]),
    )

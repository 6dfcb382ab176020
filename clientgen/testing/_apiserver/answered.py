"""How the calls of webhooks have ended, in the words of client-go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from clientgen._json import is_object

if TYPE_CHECKING:
    from .webhook_calls import Outcome

_OK: Final = range(200, 207)
_SERVER_ERROR: Final = 500
_MESSAGES: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    410: "the resource is no longer available",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: (
        "the server was unable to return a response in the time allotted, but may still be "
        "processing the request"
    ),
}
_IN_OWN_WORDS: Final = (403, 406, 415)
_MAX_MESSAGE_CHARS: Final = 2048


def problem_of(outcome: Outcome) -> str:
    """Return why a call has failed; empty for one that has not."""
    if outcome.problem:
        return outcome.problem
    if outcome.status in _OK:
        return ""
    return _stated(outcome.body) or _generic(outcome.status, _error_text(outcome))


def _stated(body: bytes) -> str:
    """Return the message of a Status."""
    try:
        value: Any = json.decode(body)
    except (DecodeError, RecursionError):
        return ""
    if not is_object(value) or value.get("kind") != "Status":
        return ""
    return str(value.get("message") or "unknown") if value.get("status") != "Success" else ""


def _error_text(outcome: Outcome) -> str:
    text = (
        outcome.body[:_MAX_MESSAGE_CHARS].decode("utf-8", "replace").strip()
        if outcome.is_text
        else ""
    )
    return text or "unknown"


def _generic(status: int, text: str) -> str:
    if status in _MESSAGES:
        return _MESSAGES[status]
    if status in _IN_OWN_WORDS:
        return text
    if status >= _SERVER_ERROR:
        shown = json.encode(text).decode()
        return f"an error on the server ({shown}) has prevented the request from succeeding"
    why = "but did not return more information"
    return f"the server responded with the status code {status} {why}"


_HEAD: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
_TYPES: Final[dict[type[Any], str]] = {list: "array", bool: "bool", int: "number", float: "number"}


def undecodable(body: bytes, value: object) -> str:
    """Return why a body is no object; `value` is what it is instead, a text if it is no JSON."""
    if not body:
        return "0-length response with status code: 200 and content type: application/json"
    kind = _TYPES.get(type(value), "string")
    why = f"json: cannot unmarshal {kind} into Go value of type {_HEAD}"
    return f"couldn't get version/kind; json parse error: {why}"

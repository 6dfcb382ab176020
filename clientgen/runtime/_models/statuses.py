"""Makes a received Status safe to use: correct types, limited lengths.

A Status may come from a proxy, an extension API server or a broken server. The lenient decoder
keeps values of wrong types; this module drops them.
"""

from __future__ import annotations

from typing import Any, cast

from .meta_v1 import ListMeta, Status, StatusCause, StatusDetails

MAX_RETRY_AFTER_SECONDS = 300
"""The upper limit of the seconds that a server asks a client to wait before a retry."""

_MAX_TEXT_CHARACTERS = 16384
_MAX_CAUSES = 1000
_TEXT_FIELDS = ("name", "group", "kind", "uid")


def make_sound(status: Status) -> Status:
    """Drop values of wrong types and shorten long strings, in place. Returns the same Status."""
    # The lenient decoder may have stored values of any type in these attributes.
    for name in ("status", "message", "reason"):
        setattr(status, name, _limited_text(getattr(status, name)))
    status.code = _int32(status.code)
    metadata: Any = status.metadata
    status.metadata = metadata if isinstance(metadata, ListMeta) else ListMeta()
    for name in ("continue_", "resource_version"):
        setattr(status.metadata, name, _limited_text(getattr(status.metadata, name)) or "")
    details: Any = status.details
    status.details = _sound_details(details) if isinstance(details, StatusDetails) else None
    return status


def wait_seconds(value: object) -> int | None:
    """Return the seconds to wait before a retry; None if the value is invalid.

    The result is at most MAX_RETRY_AFTER_SECONDS.

    Args:
        value: a number, or the text of a Retry-After header. A date is not supported, as in
            client-go (rest.retryAfterSeconds).
    """
    if isinstance(value, str):
        digits = value.strip()
        if not (digits.isascii() and digits.isdigit()):
            return None
        digits = digits.lstrip("0")[:10]  # Python refuses to convert more than 4300 digits
        return min(int(digits or "0"), MAX_RETRY_AFTER_SECONDS)
    number = _int32(value)
    return None if number is None or number < 0 else min(number, MAX_RETRY_AFTER_SECONDS)


def _sound_details(details: StatusDetails) -> StatusDetails:
    for name in _TEXT_FIELDS:
        setattr(details, name, _limited_text(getattr(details, name)))
    causes: Any = details.causes
    if not isinstance(causes, list):
        causes = []
    listed = cast("list[object]", causes)[:_MAX_CAUSES]
    details.causes = [_sound_cause(cause) for cause in listed if isinstance(cause, StatusCause)]
    details.retry_after_seconds = wait_seconds(details.retry_after_seconds)
    return details


def _sound_cause(cause: StatusCause) -> StatusCause:
    for name in ("reason", "message", "field"):
        setattr(cause, name, _limited_text(getattr(cause, name)))
    return cause


def _limited_text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value if len(value) <= _MAX_TEXT_CHARACTERS else f"{value[:_MAX_TEXT_CHARACTERS]}…"


def _int32(value: object) -> int | None:
    """Return a whole number; None for values of other types and numbers beyond 32 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) <= 1 << 31 else None

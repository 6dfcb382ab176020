"""Statuses as servers send them, and as programs can rely on them.

Anybody can answer: a proxy, an extension API server, a server that is broken. Members of the
wrong type are as good as missing, and texts have an end.
"""

from __future__ import annotations

from typing import Any, cast

from .meta_v1 import ListMeta, Status, StatusCause, StatusDetails

__all__ = ["MOST_SECONDS", "make_sound", "wait_seconds"]

MOST_SECONDS = 300
"""The most seconds that a server may have a client wait before the next try."""

_LONGEST = 16384
_MOST_CAUSES = 1000
_TEXTS = ("name", "group", "kind", "uid")


def make_sound(status: Status) -> Status:
    """Drop what is not of its type, and cut what is too long; gives the same status."""
    for name in ("status", "message", "reason"):
        setattr(status, name, _text(getattr(status, name)))
    status.code = _number(status.code)
    metadata: Any = status.metadata
    status.metadata = metadata if isinstance(metadata, ListMeta) else ListMeta()
    for name in ("continue_", "resource_version"):
        setattr(status.metadata, name, _text(getattr(status.metadata, name)) or "")
    details: Any = status.details
    status.details = _sound_details(details) if isinstance(details, StatusDetails) else None
    return status


def wait_seconds(value: object) -> int | None:
    """Read after how many seconds to try again: whole ones, and not for ever; None for nothing.

    Args:
        value: a number, or what stands in a Retry-After header; a date counts as nothing, as for
            client-go (rest.retryAfterSeconds).
    """
    if isinstance(value, str):
        digits = value.strip()
        if not (digits.isascii() and digits.isdigit()):
            return None
        digits = digits.lstrip("0")[:10]  # Python reads no more than 4300 of them
        return min(int(digits or "0"), MOST_SECONDS)
    number = _number(value)
    return None if number is None or number < 0 else min(number, MOST_SECONDS)


def _sound_details(details: StatusDetails) -> StatusDetails:
    for name in _TEXTS:
        setattr(details, name, _text(getattr(details, name)))
    causes: Any = details.causes
    if not isinstance(causes, list):
        causes = []
    listed = cast("list[object]", causes)[:_MOST_CAUSES]
    details.causes = [_sound_cause(cause) for cause in listed if isinstance(cause, StatusCause)]
    details.retry_after_seconds = wait_seconds(details.retry_after_seconds)
    return details


def _sound_cause(cause: StatusCause) -> StatusCause:
    for name in ("reason", "message", "field"):
        setattr(cause, name, _text(getattr(cause, name)))
    return cause


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _number(value: object) -> int | None:
    """Give a number as it is, unless it is none that anybody means."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) <= 1 << 31 else None

"""Messages for caches that are not synced: the last response of the server, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import json

from ..errors import ApiError, Forbidden, NotSynced, SyncTimeout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._http.resource import Resource

SYNCED = "synced"
NOT_STARTED = "not started"
NO_ANSWER = "no answer yet"
READING = "200 OK, but not everything is here yet"


def reading(count: int, total: int | None) -> str:
    """Return how much of a list has been read.

    `total` is the number of all objects, if the server has said it. It is approximate.
    """
    of_total = "" if total is None else f" of about {max(count, total):,}"
    return f"{READING}: {count:,}{of_total} objects have been read"


def reason(error: Exception | str, resource: Resource) -> str:
    """Return the last response of the server, or the error. For a 403, add the missing rule."""
    if not isinstance(error, ApiError):
        return str(error)
    message = f"{error.code} {error.reason or type(error).__name__}: {error.message}"
    return (
        f"{message}; needs the rule: {_rule(resource)}" if isinstance(error, Forbidden) else message
    )


def _rule(resource: Resource) -> str:
    """Return the rule that a Role or ClusterRole must have, with the field names of RBAC."""
    group, plural = json.encode(resource.group).decode(), json.encode(resource.plural).decode()
    return f'apiGroups [{group}], resources [{plural}], verbs ["list", "watch"]'


def incomplete(what: str, status: str) -> str:
    """Return the message for reading a cache that is not synced."""
    if status == NOT_STARTED:
        return f"the cache of {what} is empty: it was not started; call start() and wait_for_sync()"
    return f"the cache of {what} is not full yet ({status}): call wait_for_sync() before reading"


def not_started_error(names: Iterable[str]) -> NotSynced:
    """Return the error for waiting for caches that were not started."""
    listed = ", ".join(names)
    return NotSynced(f"not started: {listed}; call start() after asking for them, then wait")


def standstill_error(why: str, states: Iterable[tuple[str, str]], who: str = "") -> SyncTimeout:
    """Return the error for caches that cannot sync, because no test moves the FakeClock."""
    listed = ", ".join(f"{name} ({status})" for name, status in states)
    return SyncTimeout(f"{who}waited for caches: {listed}: {why}")


def timeout_error(seconds: float, states: Iterable[tuple[str, str]], who: str = "") -> SyncTimeout:
    """Return the error for caches that did not sync in time, with each informer and its state."""
    listed = ", ".join(f"{name} ({status})" for name, status in states)
    return SyncTimeout(f"{who}timed out after {seconds:g} s waiting for caches: {listed}")

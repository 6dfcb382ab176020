"""Whether the work that goes on here may still write.

Work that needs leadership loses its permit with the lease. The permit belongs to the context of the
work: tasks have it, and threads that the runtime starts. What the runtime writes for itself, leases
and events, needs none: `without_permit`.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from ..errors import RequestInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = ["PERMIT", "check_permit", "without_permit"]

PERMIT: Final[ContextVar[Callable[[str], None] | None]] = ContextVar("permit", default=None)
"""Raises if a request of that description must not be sent; None permits all."""

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


def check_permit(method: str, target: str, *, acts: bool = False) -> None:
    """Check just before a request is sent, for the first time or again.

    A REST client checks before it hands a request to its transport. A transport that has to
    connect first checks again when it has: that may have taken longer than the lease lasts.

    Args:
        method: The method of the request.
        target: Its path and query.
        acts: Whether it changes something though its method reads, as a command in a container.

    Raises:
        LeadershipLost: It would change something, and its work is not permitted to any more.
    """
    check = PERMIT.get()
    if check is not None and (acts or method not in _READS):
        check(str(RequestInfo(method, target.partition("?")[0])))


@contextmanager
def without_permit() -> Generator[None]:
    """Send what the runtime writes for itself, whatever work it was begun in.

    That outlives the work: a recorder and a sharding may be started in one term of leadership and
    go on in the next, an event tells why the work was given up, and a lease is released after it.
    """
    token = PERMIT.set(None)
    try:
        yield
    finally:
        PERMIT.reset(token)

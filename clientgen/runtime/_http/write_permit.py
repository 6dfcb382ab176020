"""The permit to write: work that needs leadership loses it with the lease.

The permit is a context variable, which tasks inherit, and threads that the runtime starts. The
runtime's own writes, of leases and events, need no permit: `without_permit`.
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
"""Called with the description of a request; raises if it must not be sent. None permits all."""

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


def check_permit(method: str, target: str, *, acts: bool = False) -> None:
    """Check the permit of the calling work just before a request is sent.

    A REST client checks before each attempt. A transport checks again after it has opened a
    connection, because that may have taken longer than the lease lasts.

    Args:
        method: The method of the request.
        target: Its path and query.
        acts: Whether a request with a reading method changes something, such as an exec.

    Raises:
        LeadershipLost: The request would change something, and the work has lost its permit.
    """
    check = PERMIT.get()
    if check is not None and (acts or method not in _READS):
        check(str(RequestInfo(method, target.partition("?")[0])))


@contextmanager
def without_permit() -> Generator[None]:
    """Allow writes in a `with` block, whatever work it is a part of.

    The runtime's own writes outlive a term of leadership: a recorder or a sharding started in one
    term continues in the next, an event reports the loss, and the lease is released afterwards.
    """
    token = PERMIT.set(None)
    try:
        yield
    finally:
        PERMIT.reset(token)

"""The permit to write. Work that needs leadership loses the permit together with the lease.

The permit is a context variable. Tasks inherit it, and so do threads that the runtime starts. The
runtime's own writes of leases and events need no permit (`without_permit`).
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from ..errors import RequestInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

PERMIT: Final[ContextVar[Callable[[str], None] | None]] = ContextVar("permit", default=None)
"""A function that gets the description of a request, and raises if it must not be sent."""

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


def check_permit(method: str, target: str, *, acts: bool = False) -> None:
    """Check the permit of the calling work just before a request is sent.

    A REST client checks before each attempt. A transport checks again after it has opened a
    connection, because the lease may have expired meanwhile.

    Args:
        method: The method of the request.
        target: The path and query of the request.
        acts: Whether the request is a write although its method is GET, such as an exec.

    Raises:
        LeadershipLost: The request is a write, and the work has lost its permit.
    """
    check = PERMIT.get()
    if check is not None and (acts or method not in _READS):
        check(str(RequestInfo(method, target.partition("?")[0])))


@contextmanager
def without_permit() -> Generator[None]:
    """Allow all writes in a `with` block.

    The runtime's own writes do not depend on leadership: a recorder or sharding that was started in
    one term continues in the next, and the events and the release of the lease come after a term.
    """
    token = PERMIT.set(None)
    try:
        yield
    finally:
        PERMIT.reset(token)

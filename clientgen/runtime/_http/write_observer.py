"""An observer of the writes of the calling work, such as a reconciliation.

The observer is a context variable. Tasks inherit it, and so do threads that the runtime starts.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from .codec import Codec
    from .request import HttpRequest, HttpResponse

    WriteObserver: TypeAlias = Callable[[HttpRequest, HttpResponse, Codec], object]
    """Gets the request and the response of each write that the server has accepted."""

WRITE_OBSERVER: Final[ContextVar[WriteObserver | None]] = ContextVar("write_observer", default=None)
"""The observer of the calling work, or None. It must not raise."""

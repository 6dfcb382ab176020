"""Letting the cyclic garbage collector rest while many objects are made that hold no cycles."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["GcPaused"]


class GcPaused:
    """The collector rests inside of `with`, which must not wait.

    It would go through the many new objects again and again. Where two threads do this at once, the
    first to end may switch the collector on for both, but none leaves it off.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._was_on:
            gc.enable()

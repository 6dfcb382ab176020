"""Pauses the cyclic garbage collector while many objects without cycles are created."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


class GcPaused:
    """Disables the garbage collector in a `with` block. The block must not wait.

    The collector would traverse the growing number of objects again and again. If two threads have
    such a block at the same time, the first that leaves its block may enable the collector for
    both. After the last block, the collector is enabled again.
    """

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._was_enabled:
            gc.enable()

"""Events of the sources of a controller, and predicates, which say which of them matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

__all__ = ["Event", "Predicate"]

T = TypeVar("T")


class Event(NamedTuple, Generic[T]):
    """A change that a source of a controller reports. Its objects are read-only."""

    kind: Literal["add", "update", "delete", "generic"]
    """`generic` is an event from outside the cluster."""
    old: T | None
    """The object before an update, or the last known state of a deleted one; otherwise None."""
    new: T | None
    """The object now; None if it was deleted."""
    is_initial: bool = False
    """Whether the object was there when the watch began."""

    @property
    def object(self) -> T:
        """The object now, or the last known state of a deleted one."""
        found = self.old if self.new is None else self.new
        assert found is not None
        return found


Predicate: TypeAlias = Callable[[Event[Any]], bool]
"""Says whether an event matters; one that does not causes no reconciliation."""

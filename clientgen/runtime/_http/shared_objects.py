"""Objects that all users of one client share, such as its discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class SharedObjects:
    """At most one object of each class. Threads may share it."""

    __slots__ = ("_by_class",)

    def __init__(self) -> None:
        self._by_class: dict[type[Any], Any] = {}

    def get(self, kind: type[T]) -> T | None:
        """Return the object of a class, or None if there is none yet."""
        shared: T | None = self._by_class.get(kind)
        return shared

    def get_or_create(self, kind: type[T], create: Callable[[], T]) -> T:
        """Return the object of a class. The first caller creates it."""
        shared = self.get(kind)
        if shared is None:
            # Two threads may both create an object. The object that is stored first is used.
            shared = self._by_class.setdefault(kind, create())
        return shared

    def put(self, kind: type[T], shared: T) -> None:
        """Set the object of a class."""
        self._by_class[kind] = shared

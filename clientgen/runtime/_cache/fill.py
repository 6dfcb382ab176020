"""The next content of a store, while a list of all objects is read.

A list of 100,000 objects takes seconds to read. Everything that can be done for each object is done
when the object arrives, so that replacing the content of the store takes little time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .indices import Index
from .keys import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .indices import IndexFailure

T = TypeVar("T")


class Fill(Generic[T]):
    """The entries of a list by key, and the indices over them.

    Args:
        prepare: Returns the entry of an item, or None to leave the item out. None if items are
            kept as they are.
        known: Returns the entry that the store has for a key and an item, if the item has not
            changed since; else None.
        indices: The indices of the store.

    Attributes:
        entries: All entries.
        changed: The entries that the store does not have.
        replaced: What the store had before. It is freed with the fill, after locks are released.
    """

    __slots__ = ("_indices", "_known", "_prepare", "changed", "entries", "failures", "replaced")

    def __init__(
        self,
        prepare: Callable[[Any], T | None] | None = None,
        *,
        known: Callable[[str, Any], T | None] | None = None,
        indices: Iterable[Index[Any]] = (),
    ) -> None:
        self._prepare = prepare
        self._known = known
        self._indices = {each.name: Index[Any](each.name, each.function) for each in indices}
        self.entries: dict[str, T] = {}
        self.changed: dict[str, T] = self.entries if known is None else {}
        self.failures: list[IndexFailure] = []
        self.replaced: object = None

    def add(self, item: Any) -> None:
        """Add an item of the list. An item that has not changed keeps the entry of the store."""
        key = meta_namespace_key(item)
        entry = None if self._known is None else self._known(key, item)
        if entry is not None:
            self.changed.pop(key, None)
        else:
            entry = item if self._prepare is None else self._prepare(item)
            if entry is None:
                return
            self.changed[key] = entry
        self.put(key, entry)

    def put(self, key: str, entry: T) -> None:
        """Set the entry of a key, without noting whether it has changed."""
        self.entries[key] = entry
        for index in self._indices.values():
            index.put(key, entry, index.values_for(key, entry, self.failures))

    def put_unchanged(self, entries: Mapping[str, T]) -> None:
        """Add entries of the store that the list does not contain. They are not indexed yet."""
        self.changed, self.entries = {**self.changed}, {**entries, **self.entries}
        self._indices = {}

    def discard(self, key: str) -> None:
        """Remove the entry with this key, if there is one."""
        self.changed.pop(key, None)
        if self.entries.pop(key, None) is not None:
            for index in self._indices.values():
                index.discard(key)

    def index_like(self, old: Index[Any]) -> Index[Any]:
        """Return the index over all entries that replaces an index of the store.

        An index that was added to the store later is filled now.
        """
        index = self._indices.get(old.name)
        if index is None or index.function is not old.function:
            index = Index(old.name, old.function)
            self.failures += index.fill(self.entries)
        return index

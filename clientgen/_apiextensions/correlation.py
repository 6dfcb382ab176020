"""Which old value belongs to a new one: rules are lenient about what an update did not touch.

Kubernetes calls it ratcheting ("CRDValidationRatcheting", always on since 1.33). Members of objects
belong together by name, items of `map` lists by their keys; items of other lists do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from .structure import Structure


class Pair:
    """A value of the new object and the one it replaces."""

    __slots__ = ("_children", "_equal", "_structure", "new", "old")

    def __init__(self, new: Any, old: Any, structure: Structure) -> None:
        self.new = new
        self.old = old
        self._structure = structure
        self._equal: bool | None = None
        self._children: dict[str | int, Pair | None] = {}

    @property
    def unchanged(self) -> bool:
        """Return whether both are equal. The schema decides which parts of them correspond."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        new, old = self.new, self.old
        if is_array(new) and is_array(old):
            return self._compare_lists(new, old)
        if is_object(new) and is_object(old):
            pairs = (self.member(name) for name in new) if len(new) == len(old) else (None,)
            return all(pair is not None and pair.unchanged for pair in pairs)
        return same(new, old)

    def _compare_lists(self, new: list[Any], old: list[Any]) -> bool:
        if len(new) != len(old):
            return False
        if self._structure.list_type != "map":
            return same(new, old)
        pairs = (self.item(at) for at in range(len(new)))
        return all(pair is not None and pair.unchanged for pair in pairs)

    def member(self, name: str) -> Pair | None:
        """The pair of a member, None when one of both is not there or unknown to the schema."""
        if name not in self._children:
            self._children[name] = self._member(name)
        return self._children[name]

    def _member(self, name: str) -> Pair | None:
        if not (is_object(self.new) and is_object(self.old)):
            return None
        structure = self._structure.member(name)
        if structure is None or name not in self.new or name not in self.old:
            return None
        return Pair(self.new[name], self.old[name], structure)

    def item(self, at: int) -> Pair | None:
        """The pair of an item of a `map` list, None when there is no old one with its keys."""
        if at not in self._children:
            self._children[at] = self._item(at)
        return self._children[at]

    def _item(self, at: int) -> Pair | None:
        items = self._structure.items
        if items is None or not is_array(self.new):
            return None
        old = old_item(self._structure, self.old, self.new[at])
        return None if old is None else Pair(self.new[at], old, items)


def old_item(structure: Structure, old: Any, item: Any) -> Any:
    """The item of the old `map` list with the same keys; None when there is none."""
    if structure.list_type != "map" or not is_array(old) or not is_object(item):
        return None
    key = key_of(structure, item)
    for old_value in old:
        if is_object(old_value) and same(key_of(structure, old_value), key):
            return old_value
    return None


def key_of(structure: Structure, item: dict[str, Any]) -> dict[str, Any]:
    """Return the key fields of an item of a `map` list."""
    return {name: item[name] for name in structure.list_map_keys if name in item}


def same(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal; unlike for Python, true is not 1."""
    if is_object(left):
        return (
            is_object(right)
            and left.keys() == right.keys()
            and all(same(left_member, right[name]) for name, left_member in left.items())
        )
    if is_array(left):
        return is_array(right) and len(left) == len(right) and all(map(same, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)

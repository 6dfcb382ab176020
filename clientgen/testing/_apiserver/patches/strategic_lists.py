"""The lists of strategic merge patches: what their items are told apart by, and their order.

The order of a merged list is that of the patch for what the patch names (or of
`$setElementOrder`), that of the server for the rest, and both are merged by where the server had
them.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from typing import Any, Final

from msgspec import json

from clientgen._apimachinery import failures
from clientgen._json import is_array, is_object

DIRECTIVE: Final = "$patch"
ORDER: Final = "$setElementOrder"
ABSENT: Final = object()


class Places:
    """An index of the items of a list.

    Things are the same if they are equal, or if their merge keys are.
    """

    def __init__(self, items: list[Any], key: str = "") -> None:
        self._key = key
        self._places: dict[Any, int] = {}
        for place, item in enumerate(items):
            self._places.setdefault(self._same(item), place)

    def __call__(self, item: Any) -> int:
        """The first place; -1 for what is not there."""
        return self._places.get(self._same(item), -1)

    def add(self, item: Any) -> None:
        """Note something that was put at the end of what is all different."""
        self._places.setdefault(self._same(item), len(self._places))

    def _same(self, item: Any) -> Any:
        return identity(key_of(item, self._key) if self._key else item)


def identity(value: Any) -> Any:
    """Return a key that only equal values share; true is not 1."""
    if is_object(value) or is_array(value):
        return json.encode(value, order="sorted")
    return type(value), value


def traces(before: list[Any], change: list[Any], key: str) -> list[Any]:
    """Return the original list with the patch merged into it.

    The server orders by it, but has deleted from and added to the memory it lies in: what was
    added stands in the places that became free, so that it keeps behind what was there.
    """
    if any(directive_of(item) == "replace" for item in change):
        return before
    gone = {identity(item.get(key)) for item in change if directive_of(item) == "delete"}
    kept = [item for item in before if identity(item.get(key)) not in gone]
    places = Places(kept, key)
    for item in change:
        if directive_of(item) is ABSENT and places(item) < 0:
            kept.append(item)
            places.add(item)
    return (kept + before[len(kept) :])[: len(before)]


def check_order(change: list[Any], order: list[Any], key: str) -> None:
    """Items of the patch have to be listed, in the same order; deletions need not.

    Other items with a directive are only passed over while there is something left in the list.
    """
    if not change or not order:
        return
    waiting = deque(item for item in change if not (key and directive_of(item) == "delete"))
    for place in order:
        while waiting and directive_of(waiting[0]) is not ABSENT:
            waiting.popleft()
        if not waiting:
            return
        if _matches(waiting[0], place, key):
            waiting.popleft()
    if waiting:
        raise failures.unclassified(
            f"The order in patch list:\n{change}\n doesn't match {ORDER} list:\n{order}\n"
        )


def directive_of(item: Any) -> Any:
    """Return the `$patch` of an item; ABSENT when it has none."""
    return item.get(DIRECTIVE, ABSENT) if is_object(item) else ABSENT


def in_order(items: list[Any], first: list[Any], original: list[Any], key: str) -> list[Any]:
    """Items of `first` in its order, the others in theirs; both merged by where they were."""
    if items and key:
        for item in (*first, *original, *items):
            key_of(item, key)
    among, before = Places(first, key), Places(original, key)
    listed = deque(_sorted([item for item in items if among(item) >= 0], among))
    others = deque(_sorted([item for item in items if among(item) < 0], before))
    merged: list[Any] = []
    while listed and others:
        left, right = before(others[0]), before(listed[0])
        merged.append((others if 0 <= left < right else listed).popleft())
    return [*merged, *listed, *others]


def _sorted(items: list[Any], place: Places) -> list[Any]:
    """Sort by place; what has none goes before whatever is there when it comes."""
    placed: list[tuple[int, int, Any]] = []
    in_front: dict[tuple[int, int] | None, list[Any]] = {}
    for nth, item in enumerate(items):
        at = place(item)
        if at >= 0:
            insort(placed, (at, nth, item))  # by the first two, which no other has
        else:
            in_front.setdefault(placed[0][:2] if placed else None, []).append(item)
    done: list[Any] = []
    for at, nth, item in placed:
        done += [*reversed(in_front.get((at, nth), ())), item]
    return [*done, *reversed(in_front.get(None, ()))]


def _matches(left: Any, right: Any, key: str) -> bool:
    return _equal(key_of(left, key), key_of(right, key)) if key else _equal(left, right)


def key_of(item: Any, key: str) -> Any:
    """The value of the merge key.

    Raises:
        Failure: 500, it has none.
    """
    if not is_object(item):
        raise failures.unclassified("expected a map[string]interface {}")
    if key not in item:
        raise failures.unclassified(
            f"map: {shown(item)} does not contain declared merge key: {key}"
        )
    return item[key]


def element_type(*lists: list[Any]) -> type[Any]:
    """The one type all items are of."""
    types: list[type[Any]] = [type(item) for items in lists for item in items]
    if not types:
        raise failures.unclassified("no elements in any of the given slices")
    if types[0] is list:
        raise failures.unprocessable()
    if any(each is not types[0] for each in types):
        raise failures.unclassified("list element types are not identical")
    return types[0]


def distinct(items: list[Any]) -> list[Any]:
    """The items without those that stood there before."""
    kept: dict[Any, Any] = {}
    for item in items:
        kept.setdefault(identity(item), item)
    return list(kept.values())


def _equal(left: Any, right: Any) -> bool:
    """Compare scalars as Go does: true is not 1."""
    return type(left) is type(right) and bool(left == right)


def shown(value: Any) -> str:
    """Print a value as Go's `%v` does."""
    if is_object(value):
        inside = " ".join(f"{name}:{shown(value[name])}" for name in sorted(value))
        return f"map[{inside}]"
    if is_array(value):
        return f"[{' '.join(map(shown, value))}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)

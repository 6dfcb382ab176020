"""The lists of strategic merge patches: what their items are told apart by, and their order.

The order of a merged list is that of the patch for what the patch names (or of
`$setElementOrder`), that of the server for the rest, and both are merged by where the server had
them.
"""

from __future__ import annotations

from typing import Any, Final

from . import failures
from .decoding.guards import is_array, is_object

__all__ = [
    "ABSENT",
    "DIRECTIVE",
    "ORDER",
    "check_order",
    "directive_of",
    "distinct",
    "element_type",
    "equal",
    "find",
    "holds",
    "in_order",
    "key_of",
    "shown",
    "traces",
]

DIRECTIVE: Final = "$patch"
ORDER: Final = "$setElementOrder"
ABSENT: Final = object()


def traces(before: list[Any], change: list[Any], key: str) -> list[Any]:
    """What the original list looks like once the patch was merged into it.

    The server orders by it, but has deleted from and added to the memory it lies in: what was
    added stands in the places that became free, so that it keeps behind what was there.
    """
    if any(directive_of(item) == "replace" for item in change):
        return before
    gone = [item.get(key) for item in change if directive_of(item) == "delete"]
    kept = [item for item in before if not holds(gone, item.get(key))]
    for item in change:
        if directive_of(item) is ABSENT and _place(kept, item, key) < 0:
            kept.append(item)
    return (kept + before[len(kept) :])[: len(before)]


def check_order(change: list[Any], order: list[Any], key: str) -> None:
    """Items of the patch have to be listed, in the same order; deletions need not.

    Other items with a directive are only passed over while there is something left in the list.
    """
    if not change or not order:
        return
    waiting = [item for item in change if not (key and directive_of(item) == "delete")]
    for place in order:
        while waiting and directive_of(waiting[0]) is not ABSENT:
            del waiting[0]
        if not waiting:
            return
        if _matches(waiting[0], place, key):
            del waiting[0]
    if waiting:
        raise failures.unclassified(
            f"The order in patch list:\n{change}\n doesn't match {ORDER} list:\n{order}\n"
        )


def directive_of(item: Any) -> Any:
    """What an item's `$patch` says; ABSENT when it has none."""
    return item.get(DIRECTIVE, ABSENT) if is_object(item) else ABSENT


def in_order(items: list[Any], first: list[Any], original: list[Any], key: str) -> list[Any]:
    """Items of `first` in its order, the others in theirs; both merged by where they were."""
    if items and key:
        for item in (*first, *original, *items):
            key_of(item, key)
    listed = [item for item in items if _place(first, item, key) >= 0]
    others = [item for item in items if _place(first, item, key) < 0]
    listed, others = _sorted(listed, first, key), _sorted(others, original, key)
    merged: list[Any] = []
    while listed and others:
        left, right = _place(original, others[0], key), _place(original, listed[0], key)
        merged.append((others if 0 <= left < right else listed).pop(0))
    return merged + listed + others


def _sorted(items: list[Any], order: list[Any], key: str) -> list[Any]:
    """Sort by `order`; what is not in it goes before whatever it is compared with."""
    done: list[Any] = []
    for item in items:
        mine, at = _place(order, item, key), len(done)
        while at:
            other = _place(order, done[at - 1], key)
            if mine >= 0 and 0 <= other <= mine:
                break
            at -= 1
        done.insert(at, item)
    return done


def _place(items: list[Any], item: Any, key: str) -> int:
    for index, each in enumerate(items):
        if _matches(item, each, key):
            return index
    return -1


def _matches(left: Any, right: Any, key: str) -> bool:
    return equal(key_of(left, key), key_of(right, key)) if key else equal(left, right)


def find(items: list[Any], wanted: Any, key: str) -> int | None:
    """Where the first item is whose key is `wanted`."""
    for index, item in enumerate(items):
        if key in item and equal(item[key], wanted):
            return index
    return None


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
    kept: list[Any] = []
    for item in items:
        if not holds(kept, item):
            kept.append(item)
    return kept


def holds(items: list[Any], item: Any) -> bool:
    """Whether a list of scalars has this one."""
    return any(equal(each, item) for each in items)


def equal(left: Any, right: Any) -> bool:
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

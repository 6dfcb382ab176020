"""The JSON patch from one JSON object to another, and changes carried over to the original.

A defaulting function changes a typed object. The difference is computed on the JSON that the API
server sent, so that fields a class does not know, nulls and empty lists stay as they are:
`carried_over` makes the changed JSON, and `patch_between` the operations that lead to it. The
work grows with the size of the objects, never with its square.

A class does not write values that are its defaults: an empty list, an empty map. One that was
received and is such a default now is still there, and stays in the JSON.

Operations are those of RFC 6902; a list is changed item by item where items can be told apart.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Raw, json

from clientgen._json import is_array, is_object

from .._http.patches import json_pointer
from .._models.base import NO_RAW
from .._models.encoder import encode
from .._models.members import is_unset, member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["carried_over", "patch_between"]

Json: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]
Pair: TypeAlias = tuple[int, int]

_members = json.Decoder(dict[str, Raw])
_items = json.Decoder(list[Raw])

# By what the items of lists in Kubernetes are told apart: merge keys of core/v1, then conditions.
_KEYS = ("name", "key", "type", "mountPath", "containerPort", "ip")


def patch_between(before: Json, after: Json) -> list[Json]:
    """Return the operations that turn one object into the other; none if they are equal.

    Applied in order, they give exactly `after`.
    """
    return list(_object_operations(before, after, ()))


def carried_over(received: Any, before: bytes, after: bytes, changed: object) -> Any:
    """Return what was received, with the changes from `before` to `after`.

    What has not changed is the very object that was received. Only what has changed is decoded.

    Args:
        received: The value as it was received.
        before: JSON of the same, as the class of the object reads and writes it: without nulls, for
            example.
        after: JSON that the class writes after the change.
        changed: The object after the change, of which `after` is the JSON.
    """
    if before == after:
        return received
    starts = before[:1] + after[:1]
    if starts == b"{{" and is_object(received):
        return _carried_object(received, _members.decode(before), _members.decode(after), changed)
    if starts == b"[[" and is_array(received):
        return _carried_array(received, before, after, changed)
    return json.decode(after)


def _carried_object(
    received: Json, before: dict[str, Raw], after: dict[str, Raw], changed: object
) -> Json:
    carried = {name: value for name, value in received.items() if name not in before}
    for name in before.keys() - after.keys():
        value = member(changed, name)
        if name in received and not is_unset(value):
            carried[name] = json.decode(encode(value))
    for name, new in after.items():
        old = before.get(name, NO_RAW)
        if name in received and name in before:
            value = member(changed, name)
            carried[name] = carried_over(received[name], bytes(old), bytes(new), value)
        elif bytes(old) != bytes(new):
            carried[name] = json.decode(new)
    # In the order that was received: equal objects are then equal texts.
    order = [*(name for name in received if name in carried), *carried]
    return {name: carried[name] for name in dict.fromkeys(order)}


def _carried_array(received: list[Any], before: bytes, after: bytes, changed: object) -> list[Any]:
    old_items, new_items = _items.decode(before), _items.decode(after)
    carried: list[Any] = json.decode(after)
    if len(received) != len(old_items):  # the class leaves items out: their places are not known
        return carried
    for old, new in _pairs(json.decode(before), carried):
        item = changed[new] if is_array(changed) else None
        carried[new] = carried_over(
            received[old], bytes(old_items[old]), bytes(new_items[new]), item
        )
    return carried


# ---- operations -------------------------------------------------------------------------------


def _object_operations(before: Json, after: Json, path: Path) -> Iterator[Json]:
    for name in before:
        if name not in after:
            yield {"op": "remove", "path": json_pointer(*path, name)}
    for name, new in after.items():
        if name not in before:
            yield {"op": "add", "path": json_pointer(*path, name), "value": new}
        else:
            yield from _operations(before[name], new, (*path, name))


def _operations(before: Any, after: Any, path: Path) -> Iterator[Json]:
    if before is after:
        return
    if is_object(before) and is_object(after):
        yield from _object_operations(before, after, path)
    elif _same(before, after):
        return
    elif is_array(before) and is_array(after):
        yield from _array_operations(before, after, path)
    else:
        yield {"op": "replace", "path": json_pointer(*path), "value": after}


def _array_operations(before: list[Any], after: list[Any], path: Path) -> Iterator[Json]:
    """Go from the end to the beginning, so that the indices before a change stay right."""
    end, new_end = len(before), len(after)
    for old, new in reversed([(-1, -1), *_pairs(before, after)]):
        for index in range(end - 1, old, -1):
            yield {"op": "remove", "path": json_pointer(*path, index)}
        for index in range(new_end - 1, new, -1):
            yield {"op": "add", "path": json_pointer(*path, old + 1), "value": after[index]}
        if old >= 0:
            yield from _operations(before[old], after[new], (*path, old))
        end, new_end = old, new


# ---- which items of two lists belong together -------------------------------------------------


def _pairs(before: Sequence[Any], after: Sequence[Any]) -> list[Pair]:
    """Return pairs of indices of items that belong together, both in ascending order.

    Items that occur once in each list are anchors, as many as are in the same order in both. What
    is between two anchors is paired from both ends while it is equal, and then in order.
    """
    old, new = _identities(before, after)
    pairs: list[Pair] = []
    last = (-1, -1)
    for anchor in [*_anchors(old, new), (len(old), len(new))]:
        pairs += _pairs_between(old, new, last, anchor)
        if anchor[0] < len(old):
            pairs.append(anchor)
        last = anchor
    return pairs


def _pairs_between(old: list[bytes], new: list[bytes], last: Pair, end: Pair) -> list[Pair]:
    low, new_low = last[0] + 1, last[1] + 1
    high, new_high = end
    head: list[Pair] = []
    tail: list[Pair] = []
    while low < high and new_low < new_high and old[low] == new[new_low]:
        head.append((low, new_low))
        low, new_low = low + 1, new_low + 1
    while low < high and new_low < new_high and old[high - 1] == new[new_high - 1]:
        high, new_high = high - 1, new_high - 1
        tail.append((high, new_high))
    middle = zip(range(low, high), range(new_low, new_high), strict=False)
    return [*head, *middle, *reversed(tail)]


def _identities(before: Sequence[Any], after: Sequence[Any]) -> tuple[list[bytes], list[bytes]]:
    """Return what tells each item from the others: the value of its key, or all of it."""
    for key in _KEYS:
        old, new = _keys_of(before, key), _keys_of(after, key)
        if len(set(old)) == len(before) and len(set(new)) == len(after):
            return old, new
    return [json.encode(item) for item in before], [json.encode(item) for item in after]


def _keys_of(items: Sequence[Any], key: str) -> list[bytes]:
    return [json.encode(item[key]) for item in items if is_object(item) and key in item]


def _anchors(old: list[bytes], new: list[bytes]) -> list[Pair]:
    """Return the longest series of items that both lists have once, in the same order."""
    places = _single_places(new)
    single = _single_places(old)
    matched = [
        (index, places[item]) for index, item in enumerate(old) if item in places and item in single
    ]
    return _longest_ascending(matched)


def _single_places(items: list[bytes]) -> dict[bytes, int]:
    places: dict[bytes, int] = {}
    repeated: set[bytes] = set()
    for index, item in enumerate(items):
        if item in places:
            repeated.add(item)
        places[item] = index
    return {item: index for item, index in places.items() if item not in repeated}


def _longest_ascending(pairs: list[Pair]) -> list[Pair]:
    """Return the longest series of pairs whose second members ascend (patience sorting)."""
    ends: list[int] = []
    tops: list[int] = []
    previous: list[int] = []
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(ends, value)
        previous.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [value]
        tops[pile : pile + 1] = [index]
    series: list[Pair] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        series.append(pairs[at])
        at = previous[at]
    return series[::-1]


def _same(old: Any, new: Any) -> bool:
    """Report whether two values are equal as JSON, where 1, 1.0 and true are different values."""
    if old is new:
        return True
    return bool(old == new) and json.encode(old, order="sorted") == json.encode(new, order="sorted")

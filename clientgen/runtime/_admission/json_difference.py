"""The JSON patch (RFC 6902) for the changes that a function has made to a typed object.

The patch applies to the JSON that the API server sent. Fields that the class does not know, nulls
and empty lists stay as they are: `carry_over` applies the changes to the received JSON, and
`patch_between` returns the operations. The time is linear in the size of the objects.

A class does not encode default values, such as an empty list. If the received JSON has such a
value, it is kept.

The patch changes lists item by item if their items have keys or are unique.
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

Json: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]
Pair: TypeAlias = tuple[int, int]

_members = json.Decoder(dict[str, Raw])
_items = json.Decoder(list[Raw])

# The keys of list items in Kubernetes: the merge keys of core/v1, and of conditions.
_ITEM_KEYS = ("name", "key", "type", "mountPath", "containerPort", "ip")


def patch_between(before: Json, after: Json) -> list[Json]:
    """Return the operations that change `before` to exactly `after`; none if they are equal."""
    return list(_object_operations(before, after, ()))


def carry_over(received: Any, before: bytes, after: bytes, changed: object) -> Any:
    """Apply the changes from `before` to `after` to the received JSON.

    Unchanged parts of the result are the received objects themselves.

    Args:
        received: The received value.
        before: The value as its class encodes it before the change, for example without nulls.
        after: The value as its class encodes it after the change.
        changed: The object after the change; `after` is its JSON.
    """
    if before == after:
        return received
    starts = before[:1] + after[:1]
    if starts == b"{{" and is_object(received):
        return _carry_over_object(
            received, _members.decode(before), _members.decode(after), changed
        )
    if starts == b"[[" and is_array(received):
        return _carry_over_array(received, before, after, changed)
    return json.decode(after)


def _carry_over_object(
    received: Json, before: dict[str, Raw], after: dict[str, Raw], changed: object
) -> Json:
    result = {name: value for name, value in received.items() if name not in before}
    for name in before.keys() - after.keys():
        value = member(changed, name)
        if name in received and not is_unset(value):
            result[name] = json.decode(encode(value))
    for name, new in after.items():
        old = before.get(name, NO_RAW)
        if name in received and name in before:
            value = member(changed, name)
            result[name] = carry_over(received[name], bytes(old), bytes(new), value)
        elif bytes(old) != bytes(new):
            result[name] = json.decode(new)
    # Keep the received order, so that equal objects have equal JSON.
    order = [*(name for name in received if name in result), *result]
    return {name: result[name] for name in dict.fromkeys(order)}


def _carry_over_array(
    received: list[Any], before: bytes, after: bytes, changed: object
) -> list[Any]:
    old_items, new_items = _items.decode(before), _items.decode(after)
    result: list[Any] = json.decode(after)
    if len(received) != len(old_items):  # the class dropped items, so indices do not correspond
        return result
    for old, new in _pairs(json.decode(before), result):
        item = changed[new] if is_array(changed) else None
        result[new] = carry_over(received[old], bytes(old_items[old]), bytes(new_items[new]), item)
    return result


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
    elif _is_same_json(before, after):
        return
    elif is_array(before) and is_array(after):
        yield from _array_operations(before, after, path)
    else:
        yield {"op": "replace", "path": json_pointer(*path), "value": after}


def _array_operations(before: list[Any], after: list[Any], path: Path) -> Iterator[Json]:
    """Work from the end to the beginning, so that earlier indices stay valid."""
    end, new_end = len(before), len(after)
    for old, new in reversed([(-1, -1), *_pairs(before, after)]):
        for index in range(end - 1, old, -1):
            yield {"op": "remove", "path": json_pointer(*path, index)}
        for index in range(new_end - 1, new, -1):
            yield {"op": "add", "path": json_pointer(*path, old + 1), "value": after[index]}
        if old >= 0:
            yield from _operations(before[old], after[new], (*path, old))
        end, new_end = old, new


# ---- matching the items of two lists ----------------------------------------------------------


def _pairs(before: Sequence[Any], after: Sequence[Any]) -> list[Pair]:
    """Return pairs of indices of matching items; both indices ascend.

    Items that occur once in each list are anchors, if their order is the same in both lists. The
    items between two anchors are matched from both ends while they are equal, and then in order.
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
    """Return the identity of each item: the value of its key, or the whole item."""
    for key in _ITEM_KEYS:
        old, new = _keys_of(before, key), _keys_of(after, key)
        if len(set(old)) == len(before) and len(set(new)) == len(after):
            return old, new
    return [json.encode(item) for item in before], [json.encode(item) for item in after]


def _keys_of(items: Sequence[Any], key: str) -> list[bytes]:
    return [json.encode(item[key]) for item in items if is_object(item) and key in item]


def _anchors(old: list[bytes], new: list[bytes]) -> list[Pair]:
    """Return the longest sequence of items that occur once in each list, in the same order."""
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
    """Return the longest subsequence of pairs whose second members ascend (patience sorting)."""
    ends: list[int] = []
    tops: list[int] = []
    previous: list[int] = []
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(ends, value)
        previous.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [value]
        tops[pile : pile + 1] = [index]
    subsequence: list[Pair] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        subsequence.append(pairs[at])
        at = previous[at]
    return subsequence[::-1]


def _is_same_json(old: Any, new: Any) -> bool:
    """Return whether two values are equal as JSON, where 1, 1.0 and true are different values."""
    if old is new:
        return True
    return bool(old == new) and json.encode(old, order="sorted") == json.encode(new, order="sorted")

"""Strategic merge patches: merge patches that know how lists are to be merged.

The schema says per field how (`x-kubernetes-patch-strategy`, `x-kubernetes-patch-merge-key`), and
directives in the patch change it: `$patch`, `$retainKeys`, `$setElementOrder/x`,
`$deleteFromPrimitiveList/x`. Only built-in kinds are patched this way. What a broken patch answers
is part of the behaviour: 400 for a directive of the wrong form, 500 without a reason for the rest.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from . import failures

if TYPE_CHECKING:
    from collections.abc import Callable

    from .failures import Failure
    from .schema import Schema

__all__ = ["strategic_merge", "undecodable"]

_DIRECTIVE: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_ORDER: Final = "$setElementOrder"
_DELETE: Final = "$deleteFromPrimitiveList"
_ABSENT: Final = object()


def strategic_merge(
    document: dict[str, Any], patch: dict[str, Any], schema: Schema
) -> dict[str, Any]:
    """Merge `patch` into a document of the kind `schema` describes; both are left as they were.

    Raises:
        Failure: 400, 422 or 500: a directive makes no sense, an item has no merge key.
    """
    return _merge_map(document, copy.deepcopy(patch), schema)


def undecodable(patch: dict[str, Any]) -> Callable[[str], Failure]:
    """What makes the 422 of a patched document that cannot be decoded; give it to `normalise`."""

    def refuse(why: str) -> Failure:
        cause = failures.invalid_value("patch", _shown(patch), why)
        return failures.Failure(422, "Invalid", f' "" is invalid: {cause}', causes=(cause,))

    return refuse


# -------------------------------------------------------------------------- what the schema says


class _Merging(NamedTuple):
    """How a field is merged: `inside` describes its value, or each item of it."""

    inside: Schema
    strategy: str
    key: str


def _merging(schema: Schema, name: str) -> _Merging:
    found = schema.properties.get(name)
    if found is None:
        struct = schema.name.rpartition(".")[2]
        raise failures.unclassified(
            f'unable to find api field in struct {struct} for the json field "{name}"'
        )
    strategies = [each for each in found.patch_strategies if each != "retainKeys"]
    inside = found.items if found.items is not None else found
    return _Merging(inside, strategies[0] if strategies else "", found.patch_merge_key)


# ----------------------------------------------------------------------------------------- maps


def _merge_map(original: dict[str, Any], patch: dict[str, Any], schema: Schema) -> dict[str, Any]:
    if _DIRECTIVE in patch:
        return _directed(patch)
    merged = dict(original)
    _retain_keys(merged, patch)
    _merge_ordered(merged, patch, schema)
    for name, value in patch.items():
        if name.startswith(_DELETE):
            _merge_member(merged, _listed(name, _DELETE), value, schema, deleting=True)
        else:
            _merge_member(merged, name, value, schema)
    return merged


def _directed(patch: dict[str, Any]) -> dict[str, Any]:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        return {name: value for name, value in patch.items() if name != _DIRECTIVE}
    if directive == "delete":
        return {}
    raise _unknown_directive(patch)


def _merge_member(
    merged: dict[str, Any], name: str, value: Any, schema: Schema, *, deleting: bool = False
) -> None:
    """Merge one member in; `deleting` is for the lists of what is to go."""
    before = merged.get(name, _ABSENT)
    if value is None:
        merged.pop(name, None)
    elif isinstance(before, dict) and isinstance(value, dict):
        how = _merging(schema, name)
        replace = how.strategy == "replace"
        merged[name] = value if replace else _merge_map(before, value, how.inside)
    elif isinstance(before, list) and isinstance(value, list):
        how = _merging(schema, name)
        merge = deleting or how.strategy == "merge"
        merged[name] = _merge_list(before, value, how, deleting=deleting) if merge else value
    elif not deleting:
        _put(merged, name, _without_directives(_without_nulls(value)))


def _put(merged: dict[str, Any], name: str, value: Any) -> None:
    if value is _ABSENT:
        merged.pop(name, None)
    else:
        merged[name] = value


def _retain_keys(merged: dict[str, Any], patch: dict[str, Any]) -> None:
    """Drop what `$retainKeys` does not list; what the patch sets has to be listed."""
    if _RETAIN not in patch:
        return
    retained = patch.pop(_RETAIN)
    if not isinstance(retained, list):
        raise _bad_format("retainKeys")
    listed: list[Any] = retained
    for name, value in patch.items():
        if value is not None and name not in listed and not name.startswith((_DELETE, _ORDER)):
            raise _bad_format("retainKeys")
    for name in [name for name in merged if name not in listed]:
        del merged[name]


def _listed(directive: str, prefix: str) -> str:
    """The name of the list a directive is about."""
    start, slash, name = directive.partition("/")
    if start != prefix or not slash:
        what = "primitive list" if prefix == _DELETE else "setElementOrder list"
        raise _bad_format(what)
    return name


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        members: dict[str, Any] = value
        return {name: _without_nulls(item) for name, item in members.items() if item is not None}
    if isinstance(value, list):
        items: list[Any] = value
        return [_without_nulls(item) for item in items]
    return value


def _without_directives(value: Any) -> Any:
    """Drop whatever holds a `$patch`: there is nothing for it to be done to."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _ABSENT
        members: dict[str, Any] = value
        kept = {name: _without_directives(item) for name, item in members.items()}
        return {name: item for name, item in kept.items() if item is not _ABSENT}
    if isinstance(value, list):
        items: list[Any] = value
        return [item for item in map(_without_directives, items) if item is not _ABSENT]
    return value


# ---------------------------------------------------------------------------------------- lists


def _merge_list(
    original: list[Any], patch: list[Any], how: _Merging, *, deleting: bool = False
) -> list[Any]:
    if not original and not patch:
        return original
    if _element_type(original, patch) is not dict:
        if deleting:
            return [item for item in original if not _holds(patch, item)]
        return _in_order(_distinct(original + patch), patch, original, "")
    if not how.key:
        raise failures.unclassified("cannot merge lists without merge key for struct")
    kept, changes = _apply_directives(original, patch, how.key)
    merged = _merge_items(kept, changes, how)
    return _in_order(merged, changes, kept, how.key)


def _apply_directives(
    original: list[Any], patch: list[Any], key: str
) -> tuple[list[Any], list[Any]]:
    """Do what items with `$patch` say; gives what is left of both lists."""
    changes: list[Any] = []
    replace = False
    for item in patch:
        directive = item.get(_DIRECTIVE)
        if _DIRECTIVE not in item:
            changes.append(item)
        elif directive == "delete":
            wanted = _key_of(item, key)
            original = [each for each in original if not _equal(each.get(key), wanted)]
        elif directive == "replace":
            replace = True
        elif directive == "merge":
            raise failures.unclassified("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(item)
    return ([] if replace else original), changes


def _merge_items(original: list[Any], changes: list[Any], how: _Merging) -> list[Any]:
    merged = list(original)
    for item in changes:
        at = _find(merged, _key_of(item, how.key), how.key)
        if at is None:
            merged.append(item)
        else:
            merged[at] = _merge_map(merged[at], item, how.inside)
    return merged


def _merge_ordered(merged: dict[str, Any], patch: dict[str, Any], schema: Schema) -> None:
    """Merge the lists for which `$setElementOrder` says how they are to be ordered."""
    for directive in [name for name in patch if name.startswith(_ORDER)]:
        order = patch.pop(directive)
        if not isinstance(order, list):
            raise failures.unclassified("expected a []interface {}")
        name = _listed(directive, _ORDER)
        how = _merging(schema, name)
        before = _list_in(merged, name)
        change = _list_in(patch, name)
        wanted: list[Any] = order
        _check_order(change or [], wanted, how.key)
        if before is None and change is None:
            continue
        _element_type(before or [], change or [])
        items = _combined(before, change, how)
        merged[name] = _in_order(items, wanted, _traces(before or [], change or [], how), how.key)
        patch.pop(name, None)


def _list_in(holder: dict[str, Any], name: str) -> list[Any] | None:
    if name not in holder:
        return None
    found = holder[name]
    if not isinstance(found, list):
        raise failures.unclassified("expected a []interface {}")
    items: list[Any] = found
    return items


def _combined(before: list[Any] | None, change: list[Any] | None, how: _Merging) -> list[Any]:
    if change is None:
        return before or []
    if before is None:
        items: list[Any] = _without_directives(change)
        return items
    return _merge_list(before, change, how) if how.strategy == "merge" else change


def _traces(before: list[Any], change: list[Any], how: _Merging) -> list[Any]:
    """What the original list looks like once the patch was merged into it.

    The server orders by it, but has deleted from and added to the memory it lies in: what was
    added stands in the places that became free, so that it keeps behind what was there.
    """
    if how.strategy != "merge" or not how.key or not before:
        return before
    if any(_directive(item) == "replace" for item in change):
        return before
    gone = [item.get(how.key) for item in change if _directive(item) == "delete"]
    kept = [item for item in before if not _holds(gone, item.get(how.key))]
    for item in change:
        if _directive(item) is _ABSENT and _place(kept, item, how.key) < 0:
            kept.append(item)
    return (kept + before[len(kept) :])[: len(before)]


def _check_order(change: list[Any], order: list[Any], key: str) -> None:
    """Items of the patch have to be listed, in the same order; deletions need not.

    Other items with a directive are only passed over while there is something left in the list.
    """
    if not change or not order:
        return
    waiting = [item for item in change if not (key and _directive(item) == "delete")]
    for place in order:
        while waiting and _directive(waiting[0]) is not _ABSENT:
            del waiting[0]
        if not waiting:
            return
        if _matches(waiting[0], place, key):
            del waiting[0]
    if waiting:
        raise failures.unclassified(
            f"The order in patch list:\n{change}\n doesn't match {_ORDER} list:\n{order}\n"
        )


def _directive(item: Any) -> Any:
    return item.get(_DIRECTIVE, _ABSENT) if isinstance(item, dict) else _ABSENT


def _in_order(items: list[Any], first: list[Any], original: list[Any], key: str) -> list[Any]:
    """Items of `first` in its order, the others in theirs; both merged by where they were."""
    if items and key:
        for item in (*first, *original, *items):
            _key_of(item, key)
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
    return _equal(_key_of(left, key), _key_of(right, key)) if key else _equal(left, right)


def _find(items: list[Any], wanted: Any, key: str) -> int | None:
    for index, item in enumerate(items):
        if key in item and _equal(item[key], wanted):
            return index
    return None


def _key_of(item: Any, key: str) -> Any:
    if not isinstance(item, dict):
        raise failures.unclassified("expected a map[string]interface {}")
    found: dict[str, Any] = item
    if key not in found:
        raise failures.unclassified(
            f"map: {_shown(found)} does not contain declared merge key: {key}"
        )
    return found[key]


def _element_type(*lists: list[Any]) -> type:
    """The one type all items are of."""
    types = [type(item) for items in lists for item in items]
    if not types:
        raise failures.unclassified("no elements in any of the given slices")
    if types[0] is list:
        raise failures.unprocessable()
    if any(each is not types[0] for each in types):
        raise failures.unclassified("list element types are not identical")
    return types[0]


def _distinct(items: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        if not _holds(kept, item):
            kept.append(item)
    return kept


def _holds(items: list[Any], item: Any) -> bool:
    return any(_equal(each, item) for each in items)


def _equal(left: Any, right: Any) -> bool:
    """Compare scalars as Go does: true is not 1."""
    return type(left) is type(right) and bool(left == right)


# --------------------------------------------------------------------------------------- errors


def _bad_format(what: str) -> Failure:
    return failures.bad_request(f"invalid patch format of {what}")


def _unknown_directive(patch: dict[str, Any]) -> Failure:
    return failures.unclassified(
        f"unknown patch type: {_shown(patch[_DIRECTIVE])} in map: {_shown(patch)}"
    )


def _shown(value: Any) -> str:
    """Print a value as Go's `%v` does."""
    if isinstance(value, dict):
        members: dict[str, Any] = value
        inside = " ".join(f"{name}:{_shown(members[name])}" for name in sorted(members))
        return f"map[{inside}]"
    if isinstance(value, list):
        items: list[Any] = value
        return f"[{' '.join(map(_shown, items))}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)

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

from clientgen._apimachinery import failures
from clientgen._json import is_array, is_object

from .strategic_lists import (
    ABSENT,
    DIRECTIVE,
    ORDER,
    Places,
    check_order,
    distinct,
    element_type,
    identity,
    in_order,
    key_of,
    shown,
    traces,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen._apimachinery.failures import Failure
    from clientgen._openapi.resolved import ResolvedSchema

_RETAIN: Final = "$retainKeys"
_DELETE: Final = "$deleteFromPrimitiveList"


def strategic_merge(
    document: dict[str, Any], patch: dict[str, Any], schema: ResolvedSchema
) -> dict[str, Any]:
    """Merge `patch` into a document of the kind `schema` describes; both are left as they were.

    Raises:
        Failure: 400, 422 or 500: a directive makes no sense, an item has no merge key.
    """
    return _merge_map(document, copy.deepcopy(patch), schema)


def undecodable(patch: dict[str, Any]) -> Callable[[str], Failure]:
    """Return what makes the 422 of a patched document that cannot be decoded, for `normalise`."""

    def refuse(why: str) -> Failure:
        cause = failures.invalid_value("patch", shown(patch), why)
        return failures.Failure(422, "Invalid", f' "" is invalid: {cause}', causes=(cause,))

    return refuse


# -------------------------------------------------------------------------- what the schema says


class _Merging(NamedTuple):
    """The merge of a field: `inside` describes its value, or each item of it."""

    inside: ResolvedSchema
    strategy: str
    key: str


def _merging(schema: ResolvedSchema, name: str) -> _Merging:
    member = schema.properties.get(name)
    if member is None:
        struct = schema.name.rpartition(".")[2]
        raise failures.unclassified(
            f'unable to find api field in struct {struct} for the json field "{name}"'
        )
    strategies = [each for each in member.patch_strategies if each != "retainKeys"]
    inside = member.items if member.items is not None else member
    return _Merging(inside, strategies[0] if strategies else "", member.patch_merge_key)


# ----------------------------------------------------------------------------------------- maps


def _merge_map(
    original: dict[str, Any], patch: dict[str, Any], schema: ResolvedSchema
) -> dict[str, Any]:
    if DIRECTIVE in patch:
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
    directive = patch[DIRECTIVE]
    if directive == "replace":
        return {name: value for name, value in patch.items() if name != DIRECTIVE}
    if directive == "delete":
        return {}
    raise _unknown_directive(patch)


def _merge_member(
    merged: dict[str, Any], name: str, value: Any, schema: ResolvedSchema, *, deleting: bool = False
) -> None:
    """Merge one member in; `deleting` is for the lists of what is to go."""
    before = merged.get(name, ABSENT)
    if value is None:
        merged.pop(name, None)
    elif is_object(before) and is_object(value):
        how = _merging(schema, name)
        replace = how.strategy == "replace"
        merged[name] = value if replace else _merge_map(before, value, how.inside)
    elif is_array(before) and is_array(value):
        how = _merging(schema, name)
        merge = deleting or how.strategy == "merge"
        merged[name] = _merge_list(before, value, how, deleting=deleting) if merge else value
    elif not deleting:
        _put(merged, name, _without_directives(_without_nulls(value)))


def _put(merged: dict[str, Any], name: str, value: Any) -> None:
    if value is ABSENT:
        merged.pop(name, None)
    else:
        merged[name] = value


def _retain_keys(merged: dict[str, Any], patch: dict[str, Any]) -> None:
    """Drop what `$retainKeys` does not list; what the patch sets has to be listed."""
    if _RETAIN not in patch:
        return
    listed = patch.pop(_RETAIN)
    if not is_array(listed):
        raise _bad_format("retainKeys")
    retained = {name for name in listed if isinstance(name, str)}
    for name, value in patch.items():
        if value is not None and name not in retained and not name.startswith((_DELETE, ORDER)):
            raise _bad_format("retainKeys")
    for name in [name for name in merged if name not in retained]:
        del merged[name]


def _listed(directive: str, prefix: str) -> str:
    """The name of the list a directive is about."""
    start, slash, name = directive.partition("/")
    if start != prefix or not slash:
        what = "primitive list" if prefix == _DELETE else "setElementOrder list"
        raise _bad_format(what)
    return name


def _without_nulls(value: Any) -> Any:
    if is_object(value):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    if is_array(value):
        return [_without_nulls(item) for item in value]
    return value


def _without_directives(value: Any) -> Any:
    """Drop all values with a `$patch`, which have no counterpart."""
    if is_object(value):
        if DIRECTIVE in value:
            return ABSENT
        kept = {name: _without_directives(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item is not ABSENT}
    if is_array(value):
        return [item for item in map(_without_directives, value) if item is not ABSENT]
    return value


# ---------------------------------------------------------------------------------------- lists


def _merge_list(
    original: list[Any], patch: list[Any], how: _Merging, *, deleting: bool = False
) -> list[Any]:
    if not original and not patch:
        return original
    if element_type(original, patch) is not dict:
        if deleting:
            going = Places(patch)
            return [item for item in original if going(item) < 0]
        return in_order(distinct(original + patch), patch, original, "")
    if not how.key:
        raise failures.unclassified("cannot merge lists without merge key for struct")
    kept, changes = _apply_directives(original, patch, how.key)
    merged = _merge_items(kept, changes, how)
    return in_order(merged, changes, kept, how.key)


def _apply_directives(
    original: list[Any], patch: list[Any], key: str
) -> tuple[list[Any], list[Any]]:
    """Apply the items with `$patch`. Return what is left of both lists."""
    changes: list[Any] = []
    gone: set[Any] = set()
    replace = False
    for item in patch:
        directive = item.get(DIRECTIVE)
        if DIRECTIVE not in item:
            changes.append(item)
        elif directive == "delete":
            gone.add(identity(key_of(item, key)))
        elif directive == "replace":
            replace = True
        elif directive == "merge":
            raise failures.unclassified("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(item)
    kept = [each for each in original if identity(each.get(key)) not in gone] if gone else original
    return ([] if replace else kept), changes


def _merge_items(original: list[Any], changes: list[Any], how: _Merging) -> list[Any]:
    merged = list(original)
    places: dict[Any, int] = {}
    for at, item in enumerate(original):
        if how.key in item:
            places.setdefault(identity(item[how.key]), at)
    for item in changes:
        index = places.setdefault(identity(key_of(item, how.key)), len(merged))
        if index == len(merged):
            merged.append(item)
        else:
            merged[index] = _merge_map(merged[index], item, how.inside)
    return merged


def _merge_ordered(merged: dict[str, Any], patch: dict[str, Any], schema: ResolvedSchema) -> None:
    """Merge the lists for which `$setElementOrder` says how they are to be ordered."""
    for directive in [name for name in patch if name.startswith(ORDER)]:
        order = patch.pop(directive)
        if not is_array(order):
            raise failures.unclassified("expected a []interface {}")
        name = _listed(directive, ORDER)
        how = _merging(schema, name)
        before, change = _list_in(merged, name), _list_in(patch, name)
        check_order(change or [], order, how.key)
        if before is None and change is None:
            continue
        element_type(before or [], change or [])
        items = _combined(before, change, how)
        was = _order_before(before or [], change or [], how)
        merged[name] = in_order(items, order, was, how.key)
        patch.pop(name, None)


def _order_before(before: list[Any], change: list[Any], how: _Merging) -> list[Any]:
    return traces(before, change, how.key) if how.key and how.strategy == "merge" else before


def _list_in(holder: dict[str, Any], name: str) -> list[Any] | None:
    if name not in holder:
        return None
    value = holder[name]
    if not is_array(value):
        raise failures.unclassified("expected a []interface {}")
    return value


def _combined(before: list[Any] | None, change: list[Any] | None, how: _Merging) -> list[Any]:
    if change is None:
        return before or []
    if before is None:
        items: list[Any] = _without_directives(change)
        return items
    return _merge_list(before, change, how) if how.strategy == "merge" else change


# --------------------------------------------------------------------------------------- errors


def _bad_format(what: str) -> Failure:
    return failures.bad_request(f"invalid patch format of {what}")


def _unknown_directive(patch: dict[str, Any]) -> Failure:
    return failures.unclassified(
        f"unknown patch type: {shown(patch[DIRECTIVE])} in map: {shown(patch)}"
    )

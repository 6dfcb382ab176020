"""Walks over objects with their types: lists the paths in an object, and removes paths from it.

The rules are those of structured-merge-diff, which real servers use: leaves are scalars, atomic
maps and lists, and empty ones; items of lists and undeclared fields are paths of their own besides
what is in them, declared fields are not.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_object
from clientgen.runtime._printing.go_texts import sprint

from .field_paths import Element, Set, field, key, shown, value
from .ownership_shapes import List, Map, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .ownership_shapes import Type


class Mistyped(Exception):  # noqa: N818 - says what the object is
    """The object is not of its type."""


# --------------------------------------------------------------------------------- items


def element_of(kind: List, item: Any) -> Element:
    """Return the element that identifies an item of a list.

    Raises:
        Mistyped: nothing does.
    """
    if kind.keys:
        return key(_keys(kind, item))
    if is_object(item):
        msg = "associative list without keys has an element that's a map type"
        raise Mistyped(msg)
    if is_array(item):
        msg = "not supported: associative list with lists as elements"
        raise Mistyped(msg)
    if item is None:
        msg = "associative list without keys has an element that's an explicit null"
        raise Mistyped(msg)
    return value(item)


def _keys(kind: List, item: Any) -> dict[str, Any]:
    if not is_object(item):
        what = "a null element" if item is None else "non-map elements"
        msg = f"associative list with keys may not have {what}"
        raise Mistyped(msg)
    found = {name: item[name] for name in kind.keys if name in item}
    for name, default in kind.defaults.items():
        found.setdefault(name, default)
    if not found:
        listed = " ".join(f'"{name}"' for name in kind.keys)
        msg = (
            f"associative list with keys has an element that omits all key fields [{listed}] "
            "(and doesn't have default values for any key fields)"
        )
        raise Mistyped(msg)
    return found


# -------------------------------------------------------------------------------- verdict


def problems(item: Any, kind: Type, *, duplicates: bool) -> list[str]:
    """List the reasons why a value is not of its type, as `.path: reason`.

    Args:
        item: the value.
        kind: its type.
        duplicates: whether lists may hold the same item twice.
    """
    return [f"{path}: {why}" if path else why for path, why in _problems(item, kind, duplicates)]


def _problems(item: Any, kind: Type, duplicates: bool) -> Iterator[tuple[str, str]]:
    shape = kind.shape(item)
    if item is None:
        return
    if isinstance(shape, Scalar):
        why = _scalar_problem(item, shape)
        if why:
            yield "", why
    elif isinstance(shape, Map):
        if is_object(item):
            yield from _field_problems(item, shape, duplicates)
        else:
            yield "", f"expected map, got {_go(item)}"
    elif is_array(item):
        yield from _item_problems(item, shape, duplicates)
    else:
        yield "", f"expected list, got {_go(item)}"


def _field_problems(
    item: dict[str, Any], shape: Map, duplicates: bool
) -> Iterator[tuple[str, str]]:
    for name, each in item.items():
        kind = shape.field(name)
        if kind is None:
            yield f".{name}", "field not declared in schema"
            return
        for path, why in _problems(each, kind, duplicates):
            yield f".{name}{path}", why


def _item_problems(items: list[Any], shape: List, duplicates: bool) -> Iterator[tuple[str, str]]:
    seen: set[Element] = set()
    for index, item in enumerate(items):
        element = f"i:{index}"
        if not shape.atomic:
            try:
                element = element_of(shape, item)
            except Mistyped as problem:
                yield "", f"element {index}: {problem}"
                return
            if element in seen and not duplicates:
                yield "", f"duplicate entries for key {shown([element])}"
            seen.add(element)
        for path, why in _problems(item, shape.item, duplicates):
            yield shown([element]) + path, why


def _scalar_problem(item: Any, shape: Scalar) -> str:
    is_number = isinstance(item, int | float) and not isinstance(item, bool)
    if shape.kind == "numeric" and not is_number:
        return f"expected numeric (int or float), got {_go_type(item)}"
    if shape.kind == "string" and not isinstance(item, str):
        return f"expected string, got &value.valueUnstructured{{Value:{_go_syntax(item)}}}"
    if shape.kind == "boolean" and not isinstance(item, bool):
        return f"expected boolean, got {_go(item)}"
    return f"expected any scalar, got {_go(item)}" if isinstance(item, dict | list) else ""


def _go_syntax(item: Any) -> str:
    if is_object(item):
        members = (f"{_go_syntax(name)}:{_go_syntax(item[name])}" for name in sorted(item))
        return f"{_go_type(item)}{{{', '.join(members)}}}"
    if is_array(item):
        return f"{_go_type(item)}{{{', '.join(map(_go_syntax, item))}}}"
    if item is None:
        return "interface {}(nil)"
    return json.dumps(item, ensure_ascii=False)


def _go_type(item: Any) -> str:
    if is_object(item):
        return "map[string]interface {}"
    if is_array(item):
        return "[]interface {}"
    return "bool" if isinstance(item, bool) else "string"


def _go(item: Any) -> str:
    return f"&{{{sprint(item)}}}"


# --------------------------------------------------------------------------- what is in it


def field_set(item: Any, kind: Type) -> Set:
    """Return every path in a value: its manager owns them after applying it."""
    made = Set()
    shape = kind.shape(item)
    if isinstance(shape, Map) and is_object(item):
        for name, each in item.items():
            _mention_field(made, shape, name, each)
    elif isinstance(shape, List) and is_array(item):
        _mention_items(made, shape, item)
    return made


def _is_leaf(item: Any, kind: Type) -> bool:
    shape = kind.shape(item)
    return isinstance(shape, Scalar) or shape.atomic


def _mention_field(made: Set, shape: Map, name: str, item: Any) -> None:
    kind = shape.field(name)
    if kind is None:
        msg = f".{name}: field not declared in schema"
        raise Mistyped(msg)
    element = field(name)
    leaf = _is_leaf(item, kind)
    if leaf or item is None or item == {} or not shape.declares(name):
        made.members.add(element)
    if not leaf:
        made.attach(element, field_set(item, kind))


def _mention_items(made: Set, shape: List, items: list[Any]) -> None:
    """Repeated items are owned as a whole, because their fields cannot be told apart."""
    found: dict[Element, list[Any]] = {}
    for item in items:
        found.setdefault(element_of(shape, item), []).append(item)
    for element, same in found.items():
        made.members.add(element)
        if len(same) == 1 and not _is_leaf(same[0], shape.item):
            made.attach(element, field_set(same[0], shape.item))


# ------------------------------------------------------------------- what is left of it


def removed(item: Any, kind: Type, paths: Set) -> Any:
    """The value without these paths; of what is atomic nothing is left then."""
    shape = kind.shape(item)
    if is_object(item):
        if isinstance(shape, Map) and not shape.atomic:
            return _fields_left(item, shape, paths)
        return {}
    if is_array(item):
        if isinstance(shape, List) and not shape.atomic:
            return _items_left(item, shape, paths)
        return []
    return item


def _fields_left(item: dict[str, Any], shape: Map, paths: Set) -> dict[str, Any]:
    left: dict[str, Any] = {}
    for name, each in item.items():
        element = field(name)
        if element in paths.members:
            continue
        below = paths.children.get(element)
        kind = shape.field(name) if below else None
        left[name] = removed(each, kind, below) if below and kind else each
    return left


def _items_left(items: list[Any], shape: List, paths: Set) -> list[Any]:
    left: list[Any] = []
    for item in items:
        element = element_of(shape, item)
        if element in paths.members:
            continue
        below = paths.children.get(element)
        left.append(removed(item, shape.item, below) if below else item)
    return left


# ------------------------------------------------------------------------ paths and types


def type_at(kind: Type | None, element: Element) -> Type | None:
    """The type of what an element leads to; None when the schema does not tell."""
    if kind is None:
        return None
    if element.startswith("f:") and kind.map:
        return kind.map.field(element[2:])
    return kind.list.item if element.startswith("k:") and kind.list else None


def named_fields_in(paths: Set, kind: Type | None) -> Set:
    """The set, with the declared fields that have something of it below them in it, too."""
    made = Set(paths.members)
    for element, below in paths.children.items():
        if element.startswith("f:") and kind and kind.map and kind.map.declares(element[2:]):
            made.members.add(element)
        made.children[element] = named_fields_in(below, type_at(kind, element))
    return made

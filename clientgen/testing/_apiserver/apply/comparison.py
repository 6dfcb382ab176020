"""Compares two objects: the paths that a write added, modified and removed.

Only here does it matter whether something is absent or null: null is a value, an empty one.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as member
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_container, is_object
from clientgen._text_cache import ContentCache, encoded

from .field_paths import Element, Set, field
from .json_values import same
from .ownership_shapes import List, Map, Scalar
from .typed import element_of

if TYPE_CHECKING:
    from .ownership_shapes import Shape, Type

_ABSENT: Final = object()
_MANY_MEMBERS: Final = 3
_KNOWN: Final = ContentCache["tuple[Type, Comparison]"](32)
"""What new objects have more than the empty parts that they are compared with."""


@dataclass(slots=True)
class Comparison:
    """The differences of the second of two objects from the first."""

    removed: Set = member(default_factory=Set)
    modified: Set = member(default_factory=Set)
    added: Set = member(default_factory=Set)

    @property
    def changed(self) -> Set:
        """The paths with another value than before, or a first one."""
        return self.modified | self.added

    def without(self, paths: Set) -> Comparison:
        """Return the comparison without these paths and the paths below them."""
        if not paths:
            return self
        return Comparison(
            self.removed.without(paths), self.modified.without(paths), self.added.without(paths)
        )

    def attach(self, element: Element, below: Comparison) -> None:
        """Add the differences below an element."""
        self.removed.attach(element, below.removed)
        self.modified.attach(element, below.modified)
        self.added.attach(element, below.added)


def compare(old: Any, new: Any, kind: Type) -> Comparison:
    """Compare two values and return the differences of `new`.

    Raises:
        Mistyped: the items of a list cannot be told apart.
    """
    found = Comparison()
    _inside(found, old, new, kind)
    return found


def _inside(found: Comparison, old: Any, new: Any, kind: Type) -> None:
    """Compare the insides of two values that are containers in at least one of their shapes."""
    for shape in _shapes(old, new, kind):
        if _is_leaf(shape, old, new):
            continue
        if isinstance(shape, Map):
            _fields(found, _members(old), _members(new), shape)
        elif isinstance(shape, List):
            _items(found, _listed(old), _listed(new), shape)


def _shapes(old: Any, new: Any, kind: Type) -> tuple[Shape, ...]:
    """Return the shapes to compare by: one, or two where a value has changed its shape."""
    if new is _ABSENT:
        return (kind.shape(old),)
    if old is _ABSENT:
        return (kind.shape(new),)
    first, second = kind.shape(old), kind.shape(new)
    return (first,) if first is second else (first, second)


def _members(item: Any) -> dict[str, Any]:
    return item if is_object(item) else {}


def _listed(item: Any) -> list[Any]:
    return item if is_array(item) else []


def _is_leaf(shape: Shape, old: Any, new: Any) -> bool:
    """Return whether two values are compared whole: atomic ones, and empty ones."""
    if isinstance(shape, Scalar) or shape.atomic:
        return True
    container = dict if isinstance(shape, Map) else list
    return not any(each and isinstance(each, container) for each in (old, new))


def _at(found: Comparison, element: Element, old: Any, new: Any, kind: Type) -> None:
    """Compare two values at an element; either may be absent."""
    if same(old, new):
        return
    if old is _ABSENT or new is _ABSENT:
        there, item = (found.removed, old) if new is _ABSENT else (found.added, new)
        _spread(there, element, item, kind)
        return
    if any(_is_leaf(shape, old, new) for shape in _shapes(old, new, kind)):
        found.modified.members.add(element)
    text = encoded([old, new]) if _is_new_part(old, new) else b""
    known = _KNOWN.get(text)
    if known is not None and known[0] is kind:
        below = known[1]
    else:
        below = Comparison()
        _inside(below, old, new, kind)
        _KNOWN.put(text, (kind, below))
    found.attach(element, below)


def _is_new_part(old: Any, new: Any) -> bool:
    """Return whether a part, such as a spec, has been empty; many objects begin with the same."""
    return is_object(old) and is_object(new) and len(new) >= _MANY_MEMBERS and not any(old.values())


def _spread(there: Set, element: Element, item: Any, kind: Type) -> None:
    """Add all elements of a value that is on one side only."""
    there.members.add(element)
    if not is_container(item) or not item:
        return
    shape = kind.shape(item)
    if isinstance(shape, Map) and not shape.atomic:
        there.attach(element, _all_fields(_members(item), shape))
    elif isinstance(shape, List) and not shape.atomic:
        found = Comparison()
        _items(found, [], _listed(item), shape)
        there.attach(element, found.added)


def _all_fields(item: dict[str, Any], shape: Map) -> Set:
    """Return all elements of an object that is on one side only."""
    below = Set()
    for name, each in item.items():
        inner = shape.field(name)
        if inner is not None:
            _spread(below, field(name), each, inner)
    return below


def _fields(found: Comparison, old: dict[str, Any], new: dict[str, Any], shape: Map) -> None:
    for name in {**old, **new}:
        kind = shape.field(name)
        if kind is not None:
            _at(found, field(name), old.get(name, _ABSENT), new.get(name, _ABSENT), kind)


def _items(found: Comparison, old: list[Any], new: list[Any], shape: List) -> None:
    before, after = _by_element(shape, old), _by_element(shape, new)
    for element in {**before, **after}:
        were, are = before.get(element, []), after.get(element, [])
        if len(were) < 2 and len(are) < 2:  # noqa: PLR2004 - one or none
            _at(found, element, _only(were), _only(are), shape.item)
        else:
            _duplicates(found, element, were, are, shape)


def _duplicates(
    found: Comparison, element: Element, were: list[Any], are: list[Any], shape: List
) -> None:
    """Compare what is there several times, which counts as one leaf.

    A single item is owned by field. When it is repeated, it is owned as a whole, until it is single
    again.
    """
    if len(were) > 1 and len(are) > 1:
        if not same(were, are):
            found.modified.members.add(element)
    elif len(were) > 1:
        if are:
            _at(found, element, _ABSENT, are[0], shape.item)
        found.removed.members.add(element)
    else:
        if were:
            _at(found, element, were[0], _ABSENT, shape.item)
        found.added.members.add(element)


def _only(items: list[Any]) -> Any:
    return items[0] if items else _ABSENT


def _by_element(shape: List, items: list[Any]) -> dict[Element, list[Any]]:
    found: dict[Element, list[Any]] = {}
    for item in items:
        found.setdefault(element_of(shape, item), []).append(item)
    return found

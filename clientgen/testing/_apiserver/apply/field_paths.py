"""Paths into objects, and sets of them.

A path is a row of elements. An element is kept as the text it is in a FieldsV1 document, in one
canonical form, so that equal elements are equal strings:

* `f:name`, a member of an object;
* `k:{"name":"c"}`, the item of a list whose keys have these values;
* `v:"x"`, the item of a set;
* `i:3`, the item at an index.

A set is a trie: what is in it here (`members`) and what is in it further down (`children`). That a
path is in the set says nothing about the paths above and below it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.decoding.depth import TOO_DEEP, is_too_deep
from clientgen._json import is_object
from clientgen._text_cache import cached_if_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Element: TypeAlias = str
Path: TypeAlias = tuple[Element, ...]

_KINDS: Final = "fkvi"
_PLAIN: Final = re.compile(r"[ !#-%\'-;=?-\[\]-~]*").fullmatch
"""Matches texts that stand in JSON as they are."""
# Go's encoder writes these so that JSON may stand in HTML; identities have to agree with it.
_ESCAPED: Final = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def field(name: str) -> Element:
    """The member called `name`."""
    return f"f:{name}"


def key(values: Mapping[str, Any]) -> Element:
    """The item whose keys have these values."""
    members = (f"{_item_text(name)}:{_item_text(values[name])}" for name in sorted(values))
    return f"k:{{{','.join(members)}}}"


def value(item: Any) -> Element:
    """The item that is this value."""
    return f"v:{_item_text(item)}"


def _item_text(item: Any) -> str:
    if isinstance(item, str) and _PLAIN(item):
        return f'"{item}"'
    plain = _whole(item)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def _whole(item: Any) -> Any:
    """1.0 is 1: numbers are compared by value."""
    if isinstance(item, float) and item.is_integer():
        return int(item)
    if is_object(item):
        return {name: _whole(each) for name, each in item.items()}
    return item


@cached_if_short
def canonical(text: str) -> Element | None:
    """The element that `text` is; None for a kind of element that nobody knows (yet).

    Raises:
        ValueError: it is no element.
    """
    if text[1:2] != ":":
        msg = f"not a path element: {text!r}"
        raise ValueError(msg)
    kind, rest = text[0], text[2:]
    if kind == "f":
        return text
    if kind == "i":
        return f"i:{int(rest)}"
    if kind == "v":
        return value(_loaded(rest))
    return key(_members(rest)) if kind == "k" else None


def _loaded(text: str) -> Any:
    """The JSON value of an element.

    Raises:
        ValueError: it is none, or nested too deep.
    """
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if is_too_deep(found):
        raise ValueError(TOO_DEEP)
    return found


def _members(text: str) -> dict[str, Any]:
    found = _loaded(text)
    if not is_object(found):
        msg = f"not the keys of an item: {text}"
        raise ValueError(msg)
    return found


def shown(path: Iterable[Element]) -> str:
    """Return a path as conflicts spell it: `.spec.containers[name="c"].image`."""
    return "".join(_element_text(element) for element in path)


def _element_text(element: Element) -> str:
    kind, rest = element[0], element[2:]
    if kind == "f":
        return f".{rest}"
    if kind == "k":
        return f"[{','.join(f'{name}={_quoted(each)}' for name, each in _members(rest).items())}]"
    return f"[={_quoted(json.loads(rest))}]" if kind == "v" else f"[{rest}]"


def _quoted(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False)


@cached_if_short
def _place(element: Element) -> tuple[int, Any]:
    """Return the sort key: fields, keys, values, indices; numbers before texts."""
    kind, rest = element[0], element[2:]
    rank = _KINDS.index(kind)
    if kind == "f":
        return rank, rest
    if kind == "k":
        return rank, [(name, *_weight(each)) for name, each in _members(rest).items()]
    return rank, _weight(json.loads(rest))


def _weight(item: Any) -> tuple[int, Any]:
    if isinstance(item, str):
        return 1, item
    if isinstance(item, bool):
        return 2, item
    return (0, item) if isinstance(item, int | float) else (3, _item_text(item))


def in_order(elements: Iterable[Element]) -> list[Element]:
    """The elements in the order in which FieldsV1 documents list them."""
    return sorted(elements, key=_place)


class Set:
    """A set of paths. Operations give new sets, which may share their subtrees with the old ones.

    No child is ever empty. Whoever makes a set may put paths into it; nobody does afterwards.

    Attributes:
        fields: the set as FieldsV1, once somebody asked.
        fitting: a type, and the paths as they fit it, once somebody asked.
    """

    __slots__ = ("children", "fields", "fitting", "members")

    def __init__(
        self, members: Iterable[Element] = (), children: Mapping[Element, Set] | None = None
    ) -> None:
        self.members: set[Element] = set(members)
        self.children: dict[Element, Set] = dict(children or {})
        self.fields: dict[str, Any] | None = None
        self.fitting: tuple[object, Set] | None = None

    @classmethod
    def of(cls, *paths: Path) -> Set:
        """The set of these paths."""
        made = cls()
        for path in paths:
            made.insert(path)
        return made

    def __repr__(self) -> str:
        return f"Set({', '.join(shown(path) for path in self)})"

    def __bool__(self) -> bool:
        return bool(self.members or self.children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Set):
            return NotImplemented
        return self.members == other.members and self.children == other.children

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Path]:
        """Every path, those of a level in order before what is below them."""
        for element in in_order(self.members):
            yield (element,)
        for element in in_order(self.children):
            for path in self.children[element]:
                yield (element, *path)

    def __contains__(self, path: Path) -> bool:
        node: Set | None = self
        for element in path[:-1]:
            node = node.children.get(element) if node else None
        return bool(path) and node is not None and path[-1] in node.members

    def insert(self, path: Path) -> None:
        """Add a path to this very set. The empty path, the whole object, is ignored."""
        node = self
        for element in path[:-1]:
            node = node.children.setdefault(element, Set())
        if path:
            node.members.add(path[-1])

    def attach(self, element: Element, below: Set) -> None:
        """Add the paths below `element` to this very set, unless there are none."""
        if below:
            self.children[element] = below

    def __or__(self, other: Set) -> Set:
        """Return the paths that are in either set: `self`, if the other has no more."""
        more: dict[Element, Set] = {}
        for element, theirs in other.children.items():
            mine = self.children.get(element)
            both = theirs if mine is None else mine | theirs
            if both is not mine:
                more[element] = both
        if not more and other.members <= self.members:
            return self
        return Set(self.members | other.members, {**self.children, **more})

    def __and__(self, other: Set) -> Set:
        """Return the paths that are in both sets."""
        made = Set(self.members & other.members)
        for element in self.children.keys() & other.children.keys():
            made.attach(element, self.children[element] & other.children[element])
        return made

    def __sub__(self, other: Set) -> Set:
        """Return the paths that are not in the other; those below a path of the other stay.

        That is `self`, if the other has none of them.
        """
        less = {
            element: self.children[element] - other.children[element]
            for element in self.children.keys() & other.children.keys()
        }
        return self._with(less, self.members & other.members)

    def without(self, other: Set) -> Set:
        """Return the paths that are neither in `other` nor below one of its paths.

        That is `self`, if the other has none of them.
        """
        less = {
            element: self.children[element].without(other.children[element])
            for element in self.children.keys() & other.children.keys()
        }
        less.update(dict.fromkeys(self.children.keys() & other.members, _NONE))
        return self._with(less, self.members & other.members)

    def _with(self, less: Mapping[Element, Set], gone: set[Element]) -> Set:
        """Return this set without some members, and with less below some elements."""
        changed = {name: left for name, left in less.items() if left is not self.children[name]}
        if not changed and not gone:
            return self
        children = {**self.children, **changed}
        for element, left in changed.items():
            if not left:
                del children[element]
        return Set(self.members - gone, children)


_NONE: Final = Set()

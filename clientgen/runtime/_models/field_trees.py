"""Paths of fields, as kubectl writes them, and the trees of names that they make.

`spec.containers.image` and `spec.containers[*].image` are the image of each container. The
generator reads the same paths, with the models at hand (`generator/resolve/field_paths`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, cast

from .arguments import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FieldTree: TypeAlias = "dict[str, FieldTree | None]"
"""The wanted members of an object. None wants all of a member."""
FieldPath: TypeAlias = tuple[str, ...]
"""The names that a path leads through, without the lists."""

# Far more than objects are nested. Each step becomes a class.
_MAX_STEPS: Final = 32
_MAX_SHOWN: Final = 80
_NAME: Final = r"(?:\\.|[^\s.\[\](){}'\"\\,|*])+"
_STEP: Final = re.compile(
    rf"(?:\.(?P<plain>{_NAME})|\['(?P<single>[^']+)'\]|\[\"(?P<double>[^\"]+)\"\])(?:\[\*?\])*"
)
_ESCAPE: Final = re.compile(r"\\(.)")
_is_index = re.compile(r"\[[-\d:,]+\]").match
# msgspec has no fields with these names: they would need escapes in JSON.
_has_escapes = re.compile(r'["\\\x00-\x1f\ud800-\udfff]').search
_WRITE: Final = "write the names of fields in JSON, such as spec.containers.image"


def read_paths(paths: Iterable[object]) -> list[FieldPath]:
    """Return the names that each path leads through.

    Raises:
        TypeError: A path is not text.
        ValueError: A path is not valid.
    """
    return [_names(path, f"paths[{at}]") for at, path in enumerate(paths)]


def tree_of(paths: Iterable[FieldPath]) -> FieldTree:
    """Return the tree of some paths. A path below another one adds nothing."""
    root: FieldTree = {}
    for path in paths:
        _add(root, path)
    return root


def _add(tree: FieldTree, path: FieldPath) -> None:
    for name in path[:-1]:
        inner = tree.setdefault(name, {})
        if inner is None:
            return
        tree = inner
    tree[path[-1]] = None


def paths_in(tree: FieldTree, above: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the paths of a tree. None of them leads through another one."""
    for name, inner in tree.items():
        if inner is None:
            yield (*above, name)
        else:
            yield from paths_in(inner, (*above, name))


def pruned(value: object, tree: FieldTree | None) -> object:
    """Return a JSON value without the members that are not wanted. Lists in lists are kept."""
    if tree is None:
        return value
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [pruned(item, None if isinstance(item, list) else tree) for item in items]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, object]", value)
    return {name: pruned(inner, tree[name]) for name, inner in members.items() if name in tree}


def _names(path: object, where: str) -> FieldPath:
    if not isinstance(path, str):
        raise TypeError(f"{where} must be text, such as 'spec.size', not {type_of(path)}")
    rest = path if path.startswith((".", "[")) else f".{path}"
    names: list[str] = []
    at = 0
    while at < len(rest):
        step = _STEP.match(rest, at)
        if step is None:
            is_index = _is_index(rest, at)
            _refuse(where, path, "selects some items of a list" if is_index else "is not a path")
        if len(names) == _MAX_STEPS:
            _refuse(where, path, f"has more than {_MAX_STEPS} fields")
        names.append(step["single"] or step["double"] or _ESCAPE.sub(r"\1", step["plain"]))
        if _has_escapes(names[-1]):
            _refuse(where, path, "has a name with a quote, a backslash or a control character")
        at = step.end()
    return tuple(names)


def _refuse(where: str, path: str, what: str) -> NoReturn:
    shown = path if len(path) <= _MAX_SHOWN else f"{path[:_MAX_SHOWN]}..."
    raise ValueError(f"{where}: {shown!r} {what}: {_WRITE}")

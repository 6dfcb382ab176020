"""The documents of a YAML text, read as kubectl reads them.

libyaml parses where it is there; what is wrong with a text is told in the words of PyYAML's own
parser, so that messages do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from clientgen.generator.problems import Problem
from clientgen.generator.sources.crd.helm import helm_problem
from clientgen.yaml_values import plain_value

__all__ = ["Document", "ExpandingError", "nodes", "not_yaml", "repeated_keys", "yaml_documents"]

_TAG = "tag:yaml.org,2002:"
_STR, _PLAIN, _MERGE = f"{_TAG}str", "?", "<<"
_RESOLVED = frozenset({_PLAIN, *(f"{_TAG}{name}" for name in ("int", "float", "bool", "null"))})
# How many objects and lists may come from aliases.
_MOST_COPIES = 100_000
_MOST_LEVELS = 1000


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its number in the file, from 0, and its value in terms of JSON.

    `doubts` are keys that stand twice or are not read as written. They count only where the
    document does. `templated` is one that Helm would make another of.
    """

    index: int
    value: Any
    doubts: tuple[Problem, ...] = ()
    templated: bool = False


class ExpandingError(Exception):
    """Aliases of aliases of aliases."""


@cache
def _loader(*, pure: bool = False) -> Any:
    """PyYAML's loader, for nodes: of a scalar only whether it is plain is resolved."""
    base = yaml.SafeLoader if pure else getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def resolve(_self: Any, kind: Any, _value: Any, implicit: Any) -> str:
        return _PLAIN if kind is yaml.ScalarNode and implicit[0] else _STR

    return type("_Loader", (base,), {"resolve": resolve})


def nodes(text: str, *, pure: bool = False) -> Iterator[yaml.Node]:
    """The documents of a YAML text as PyYAML composes them.

    Raises:
        yaml.YAMLError: from the first one on that is none.
        RecursionError: there is no end to its nesting.
    """
    _check_depth(text)
    loader = _loader(pure=pure)(text)
    try:
        while loader.check_node():
            yield loader.get_node()
    finally:
        loader.dispose()


def _check_depth(text: str) -> None:
    """Count the levels of what may have many: libyaml's composer ends with the stack only."""
    longest = max(map(len, text.splitlines()), default=0)
    if max(longest * 2, text.count("[") + text.count("{")) < _MOST_LEVELS:
        return
    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_LEVELS:
            raise RecursionError


def yaml_documents(text: str, shown: str) -> Iterator[Document]:
    """The documents of a YAML text; see `nodes` for what is raised."""
    for index, node in enumerate(nodes(text)):
        building = _Building(text, shown)
        value = building.value(node)
        yield Document(index, value, tuple(building.doubts), building.templated)


class _Building:
    """Makes values of nodes, and takes down what is wrong with keys."""

    def __init__(self, text: str, shown: str, first: int = 1) -> None:
        self.doubts: list[Problem] = []
        self.templated = False
        self._text = text
        self._shown = shown
        self._first = first
        self._made: set[int] = set()
        self._copies = 0
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        self._copies += id(node) in self._made
        if self._copies > _MOST_COPIES or id(node) in self._open:
            raise ExpandingError
        self._made.add(id(node))
        self._open.add(id(node))
        made: Any = {}
        if isinstance(node, yaml.MappingNode):
            self._fill(made, node)
        else:
            made = [self.value(item) for item in node.value]
        self._open.discard(id(node))
        return made

    def _fill(self, made: dict[str, Any], node: yaml.MappingNode) -> None:
        own: set[str] = set()
        for key_node, value_node in node.value:
            if key_node.value == _MERGE and key_node.tag == _PLAIN:
                self._merge(made, value_node)
                continue
            key = self._key(key_node)
            if key in own:
                what = f"has the key {key!r} twice in one object"
                self._doubt(key_node, what, "An API server keeps one of them; remove the other.")
            own.add(key)
            made[key] = self.value(value_node)

    def _merge(self, made: dict[str, Any], node: yaml.Node) -> None:
        """As kubectl does: what is merged wins over what stands before it, of many the first."""
        several = isinstance(node, yaml.SequenceNode)
        for source in reversed(node.value) if several else (node,):
            if isinstance(source, yaml.MappingNode):
                made.update(self.value(source))
            else:
                self._doubt(node, "merges (`<<`) what is no object")

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            templated = helm_problem(self._text, self._shown)
            if templated:
                self.templated = True
                self.doubts.append(templated)
            else:
                self._doubt(node, "has a list or an object as a key", "Keys are strings.")
            return ""
        key = _scalar(node)
        read = _key_text(key)
        if read != node.value:
            called = "null" if read is None else f"the key {read!r}"
            what = f"has the key `{node.value}`, which API servers read as {called}"
            self._doubt(node, what, f'Quote it: "{node.value}".')
        return str(node.value)

    def _doubt(self, node: yaml.Node, what: str, hint: str = "") -> None:
        mark = node.start_mark
        place = f"{self._shown}:{mark.line + self._first}:{mark.column + 1}"
        self.doubts.append(Problem(place, what, hint))


def _scalar(node: yaml.ScalarNode) -> str | float | bool | None:
    value = plain_value(node.value) if node.tag in _RESOLVED else str(node.value)
    # kubectl sends JSON, in which 1.0 is 1.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _key_text(key: str | float | bool | None) -> str | None:
    """What kubectl makes of a key, which JSON wants to be a string."""
    if isinstance(key, bool):
        return str(key).lower()
    return key if key is None or isinstance(key, str) else f"{key:g}" if key % 1 else str(int(key))


def repeated_keys(text: str, shown: str, first: int) -> list[Problem]:
    """The doubts of a JSON text, whose first line is this one of the file; none if YAML differs."""
    building = _Building(text, shown, first)
    try:
        for node in nodes(text.replace("\t", " ")):
            building.value(node)
    except (yaml.YAMLError, ExpandingError):
        return []
    return building.doubts


def not_yaml(text: str, shown: str, error: yaml.YAMLError) -> Problem:
    """What is wrong, as PyYAML's parser says it: libyaml has other words and other columns."""
    try:
        for _node in nodes(text, pure=True):
            pass
    except yaml.YAMLError as other:
        error = other
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        line, column = error.problem_mark.line + 1, error.problem_mark.column + 1
        what = str(error.problem)
    else:
        position: int = getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        what = str(getattr(error, "reason", error))
    hint = "Indent with spaces." if "'\\t'" in what else ""
    found = Problem(f"{shown}:{line}:{column}", f"is not YAML: {what}", hint)
    return helm_problem(text, shown, line) or found

"""The documents of a manifest, in YAML or JSON, read as kubectl reads them.

libyaml parses where it is there; what is wrong with a text is told in the words of PyYAML's own
parser, so that messages do not depend on it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from clientgen.generator.problems import Problem, Problems
from clientgen.yaml_values import plain_value

__all__ = ["Document", "helm_problem", "json_texts", "nodes", "read_documents"]

_TAG = "tag:yaml.org,2002:"
_STR, _PLAIN, _MERGE = f"{_TAG}str", "?", "<<"
_RESOLVED = frozenset({_PLAIN, *(f"{_TAG}{name}" for name in ("int", "float", "bool", "null"))})
# What aliases may blow a document up to.
_MOST_VALUES = 4_000_000
_MOST_LEVELS = 1000
_TOO_DEEP = "is nested too deeply to be a manifest"
# A line that YAML takes for the start of an object and Helm for a directive.
_DIRECTIVE = re.compile(r"^(?:[^#'\"\n]*[:\-]\s+|\s*)\{\{.*", re.MULTILINE)
_MANIFEST_HINT = "Name files and folders of YAML or JSON manifests."


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its number in the file, from 0, and its value in terms of JSON.

    `doubts` are keys that stand twice or are not read as written. They count only where the
    document does.
    """

    index: int
    value: Any
    doubts: tuple[Problem, ...] = ()


def read_documents(data: bytes, shown: str, problems: Problems) -> Iterator[Document]:
    """The documents of a file, up to the first that cannot be read.

    Args:
        data: the bytes of the file.
        shown: how messages call it.
        problems: takes what is no YAML or JSON, with line and column.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        problems.add(f"{shown}:{line}:{column}", "is not UTF-8 text", _MANIFEST_HINT)
        return
    try:
        if _is_json(text):
            yield from _json_documents(text, shown, problems)
        else:
            yield from _yaml_documents(text, shown)
    except yaml.YAMLError as error:
        problems.extend([_not_yaml(text, shown, error)])
    except RecursionError:
        problems.add(shown, _TOO_DEEP)
    except _TooMuchError:
        problems.add(shown, "grows beyond measure by its aliases", "Write out what they stand for.")


def helm_problem(text: str, shown: str, before: int | None = None) -> Problem | None:
    """What to say of a chart's template, if the text is one.

    Args:
        text: the text of the file.
        shown: how messages call it.
        before: the number of the line in which YAML ends; directives after it were not seen.
    """
    found = list(_DIRECTIVE.finditer(text))
    first = text.count("\n", 0, found[0].start()) + 1 if found else 0
    if not found or (before is not None and first > before + 1):
        return None
    directive = found[0][0][found[0][0].index("{{") :].strip()
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    what = f"is a Helm template, not a manifest: `{directive}`{more}"
    return Problem(
        f"{shown}:{first}", what, "Render the chart with `helm template`, and read that."
    )


# -------------------------------------------------------------------------------------- YAML


class _TooMuchError(Exception):
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


def _yaml_documents(text: str, shown: str) -> Iterator[Document]:
    for index, node in enumerate(nodes(text)):
        building = _Building(text, shown)
        value = building.value(node)
        yield Document(index, value, tuple(building.doubts))


class _Building:
    """Makes values of nodes, and takes down what is wrong with keys."""

    def __init__(self, text: str, shown: str) -> None:
        self.doubts: list[Problem] = []
        self._text = text
        self._shown = shown
        self._made = 0
        self._open: set[int] = set()

    def value(self, node: yaml.Node) -> Any:
        self._made += 1
        if self._made > _MOST_VALUES or id(node) in self._open:
            raise _TooMuchError
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
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
        place = f"{self._shown}:{mark.line + 1}:{mark.column + 1}"
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


def _not_yaml(text: str, shown: str, error: yaml.YAMLError) -> Problem:
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


# -------------------------------------------------------------------------------------- JSON

_SPACE = re.compile(r"\s*")
_OBJECT = re.compile(r'\s*\{\s*["}]')
_SEPARATOR = re.compile(r"^---", re.MULTILINE)


def _is_json(text: str) -> bool:
    return _OBJECT.match(text) is not None and not _SEPARATOR.search(text)


def _json_documents(text: str, shown: str, problems: Problems) -> Iterator[Document]:
    """Documents one after another; a key that stands twice has no place but its document's."""
    repeated: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) != len(found):
            counts = Counter(key for key, _ in found)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return made

    decoder = json.JSONDecoder(object_pairs_hook=pairs, strict=True)
    at, index = _skip(text, 0), 0
    while at < len(text):
        repeated.clear()
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            what = f"is not JSON: {error.msg}"
            found = Problem(f"{shown}:{error.lineno}:{error.colno}", what, _MANIFEST_HINT)
            problems.extend([helm_problem(text, shown, error.lineno) or found])
            return
        line = text.count("\n", 0, at) + 1
        yield Document(index, value, tuple(_doubts(text[at:end], line, shown, repeated)))
        at, index = _skip(text, end), index + 1


def _skip(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def json_texts(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a JSON text, each with the number of its first line; none of a YAML text."""
    decoder, at = json.JSONDecoder(), _skip(text, 0)
    while _is_json(text) and at < len(text):
        end = decoder.raw_decode(text, at)[1]
        yield text.count("\n", 0, at) + 1, text[at:end]
        at = _skip(text, end)


def _doubts(text: str, line: int, shown: str, repeated: list[str]) -> Iterator[Problem]:
    """The places of keys that stand twice: JSON is YAML, whose reader knows them."""
    if not repeated:
        return
    building = _Building(text, shown)
    try:
        for node in nodes(text.replace("\t", " ")):
            building.value(node)
    except (yaml.YAMLError, _TooMuchError):
        building.doubts.clear()
    for doubt in building.doubts:
        at, column = doubt.where.removeprefix(f"{shown}:").split(":")
        yield Problem(f"{shown}:{int(at) + line - 1}:{column}", doubt.what, doubt.hint)
    if not building.doubts:
        what = f"has the key {repeated[0]!r} twice in one object"
        yield Problem(f"{shown}:{line}", what, "Remove one of them.")

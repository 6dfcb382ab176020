"""YAML as sigs.k8s.io/yaml reads and writes it: a YAML 1.1 of its own.

Which value a scalar is, `yaml_values` says; keys become strings; what a merge key brings overrides
what stands before it. libyaml parses.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from clientgen.yaml_values import plain_value

__all__ = ["BadText", "dump_document", "dump_yaml", "line_of", "load_yaml"]

_PLAIN: Final = "?"
_TAG: Final = "tag:yaml.org,2002:"
_STR: Final = f"{_TAG}str"
_MERGE: Final = "<<"
_NO_WIDTH: Final = 2**31 - 1
_OTHER_VERSION: Final = re.compile(rb"%YAML\s+(?!1\.1\s)")
_PARTS: Final = re.compile(r"([0-9]+)")
# A document may repeat itself by aliases, but not explode: the bounds of goyaml.
_FEW_ALIASES, _FEW_NODES = 100, 1000
_DEEPEST: Final = 10_000
_MANY_NODES, _MOST_NODES = 400_000, 4_000_000
_MOST_SHARE, _LEAST_SHARE = 0.99, 0.10


class BadText(ValueError):  # noqa: N818 - it is about the text, the caller makes an error of it
    """The text is not YAML (or JSON); says why as the server would."""


if TYPE_CHECKING:
    from collections.abc import Mapping

    from yaml import CSafeDumper, CSafeLoader
else:
    # libyaml is several times faster, but not everywhere.
    CSafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    CSafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Loader(CSafeLoader):
    """Tells plain scalars from quoted ones by their tag, and leaves what they are to us."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:  # noqa: ARG002
        return _PLAIN if kind is yaml.ScalarNode and implicit[0] else _STR


def load_yaml(body: bytes, *, overriding: bool = False) -> tuple[Any, list[str]]:
    """Read the first document; gives the value and a sentence for each key that stands twice.

    Args:
        body: the text.
        overriding: a key that a merge has brought may be set again, as where Go is not strict.

    Raises:
        BadText: it is not YAML, or nothing that JSON can say.
    """
    if _OTHER_VERSION.match(body):
        raise BadText("yaml: found incompatible YAML document")
    _check_depth(body)
    try:
        loader = _Loader(body)
        node = loader.get_node() if loader.check_node() else None
    except yaml.YAMLError as error:
        raise BadText(_why(error)) from None
    building = _Building(overriding)
    try:
        return (None if node is None else building.value(node)), building.duplicates
    except RecursionError:
        raise BadText("yaml: exceeded max depth") from None


def _check_depth(body: bytes) -> None:
    """Refuse what is nested so deeply that libyaml's composer would run out of stack.

    What opens a level is counted first, since hardly any document has so much of it.

    Raises:
        BadText: it is.
    """
    if sum(map(body.count, (b"[", b"{", b"-", b"?"))) < _DEEPEST:
        return
    depth = 0
    try:
        for event in yaml.parse(body, Loader=_Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST:
                    raise BadText("yaml: exceeded max depth")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError as error:
        raise BadText(_why(error)) from None


def line_of(body: bytes, path: tuple[str | int, ...]) -> int | None:
    """In which line something stands, of a text that was read: the innermost of it that is there.

    Args:
        body: the text.
        path: keys and indices that lead to it.
    """
    try:
        loader = _Loader(body)
        node = loader.get_node() if loader.check_node() else None
    except yaml.YAMLError:  # JSON that is no YAML
        return None
    line = 0
    for step in path:
        found = _step(node, step)
        if found is None:
            break
        mark, node = found
        line = mark.start_mark.line + 1
    return line or None


def _step(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """What says where a step is, a key or an item, and what it leads to."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return (node.value[step], node.value[step]) if step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        pairs = [pair for pair in node.value if isinstance(pair[0], yaml.ScalarNode)]
        return next((pair for pair in pairs if _key(pair[0]) == step), None)
    return None


class _Building:
    """Makes values of nodes, and takes down the keys that are set twice."""

    def __init__(self, overriding: bool) -> None:
        self.duplicates: list[str] = []
        self._overriding = overriding
        self._open: set[int] = set()
        self._seen: set[int] = set()
        self._made = 0
        self._again = 0

    def value(self, node: yaml.Node) -> Any:
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return _jsonable(_scalar(node))
        if id(node) in self._open:
            raise BadText("yaml: anchor value contains itself")
        self._open.add(id(node))
        made: Any
        if isinstance(node, yaml.MappingNode):
            made = {}
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
            key = _key(key_node)
            if key in (own if self._overriding else made):
                self._note(key_node, key)
            own.add(key)
            made[key] = self.value(value_node)

    def _note(self, node: yaml.ScalarNode, key: str) -> None:
        shown = f'"{key}"' if isinstance(_scalar(node), str) else key
        sentence = f"line {node.start_mark.line + 1}: key {shown} already set in map"
        if sentence not in self.duplicates:
            self.duplicates.append(sentence)

    def _merge(self, made: dict[str, Any], node: yaml.Node) -> None:
        """Earlier ones of a list win, so they are filled in last."""
        several = isinstance(node, yaml.SequenceNode)
        for source in reversed(node.value) if several else (node,):
            if not isinstance(source, yaml.MappingNode):
                raise BadText("yaml: map merge requires map or sequence of maps as the value")
            self._fill(made, source)

    def _count(self, node: yaml.Node) -> None:
        self._made += 1
        if id(node) not in self._seen:
            self._seen.add(id(node))
            return
        self._again += 1
        enough = self._again > _FEW_ALIASES and self._made > _FEW_NODES
        if enough and self._again > self._made * _share(self._made):
            raise BadText("yaml: document contains excessive aliasing")


def _share(nodes: int) -> float:
    """Return how much of so many nodes may come from aliases."""
    beyond = (nodes - _MANY_NODES) / (_MOST_NODES - _MANY_NODES)
    return _MOST_SHARE - min(max(beyond, 0.0), 1.0) * (_MOST_SHARE - _LEAST_SHARE)


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    tag: str = node.tag
    if tag == _PLAIN:
        return plain_value(text)
    if tag == f"{_TAG}binary":
        return _decoded(text)
    if tag in (f"{_TAG}int", f"{_TAG}float", f"{_TAG}bool", f"{_TAG}null"):
        value = plain_value(text)
        if isinstance(value, str):
            raise BadText(f"yaml: cannot decode !!str `{text}` as a !!{tag.removeprefix(_TAG)}")
        return value
    return text


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except binascii.Error:
        raise BadText("yaml: !!binary value contains invalid base64 data") from None


def _jsonable(value: Any) -> Any:
    """Write a number as it comes back from JSON: 1.0 is an integer, 2**63 is not."""
    if isinstance(value, float):
        if not math.isfinite(value):
            name = "NaN" if math.isnan(value) else f"{value:+}".title()
            raise BadText(f"json: unsupported value: {name}")
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise BadText(f"yaml: invalid map key: line {node.start_mark.line + 1}")
    value = _scalar(node)
    if value is None:
        raise BadText("unsupported map key of type: <nil>")
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _why(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        return f"yaml: {line}{error.problem}"
    return f"yaml: {getattr(error, 'reason', error)}"


# ---------------------------------------------------------------------------------- writing


class _Dumper(CSafeDumper):
    """Block style; text that could be taken for another type in double quotes."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _write_text(dumper: CSafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif not isinstance(plain_value(text), str) or not _is_text(dumper, text):
        style = '"'
    return dumper.represent_scalar(_STR, text, style)  # pyright: ignore[reportUnknownMemberType]


def _is_text(dumper: Any, text: str) -> bool:
    """Whether YAML 1.1 takes it for text as well: no date, no `1:30`."""
    return bool(dumper.resolve(yaml.ScalarNode, text, (True, False)) == _STR)


def _write_map(dumper: CSafeDumper, value: dict[str, Any]) -> yaml.MappingNode:
    ordered = sorted(value.items(), key=lambda pair: _natural(pair[0]))
    return dumper.represent_mapping(f"{_TAG}map", ordered)


def _natural(key: str) -> list[tuple[int, str]]:
    """Order numbers in keys by value, so that `k2` comes before `k10`."""
    return [(int(part) if part.isdecimal() else -1, part) for part in _PARTS.split(key)]


class _AsGiven(_Dumper):
    """The same, but keys stay in their order."""


def _write_map_as_given(dumper: CSafeDumper, value: dict[str, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping(f"{_TAG}map", value.items())


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(dict, _write_map)
_AsGiven.add_representer(dict, _write_map_as_given)


def dump_yaml(value: Any) -> bytes:
    """Write `value` as the server answers `Accept: application/yaml`."""
    written: str = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=False,
        allow_unicode=True,
        sort_keys=False,
    )
    return written.encode()


def dump_document(value: Mapping[str, Any]) -> str:
    """Write `value` as people like to read it: keys as they are, long texts in one line."""
    written: str = yaml.dump(
        value,
        Dumper=_AsGiven,
        default_flow_style=False,
        allow_unicode=True,
        sort_keys=False,
        width=_NO_WIDTH,
    )
    return written

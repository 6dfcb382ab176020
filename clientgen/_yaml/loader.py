"""Converts nodes to JSON values: keys become strings, aliases and merge keys are expanded.

A merge key overrides the members before it. The members after it override the merge key.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import Any, Final

import yaml

from .composer import PLAIN, TAG, compose, is_merge, merged, place
from .yaml_scalars import key_text, plain_value

_OTHER_VERSION: Final = re.compile(rb"%YAML\s+(?!1\.1\s)")
# goyaml's limits of aliases: a small document must not expand to a huge value.
_FEW_ALIASES, _FEW_NODES = 100, 1000
_MANY_NODES, _MAX_NODES = 400_000, 4_000_000
_MAX_ALIAS_SHARE, _MIN_ALIAS_SHARE = 0.99, 0.10
_MAX_REPEATED_CHARS: Final = 10 << 20  # a limit in characters, in addition to goyaml's limits
_INTEGERS: Final = 2**63
_RESOLVED: Final = frozenset(f"{TAG}{name}" for name in ("int", "float", "bool", "null"))


class BadText(ValueError):  # noqa: N818 - it is about the text, the caller makes an error of it
    """The text is not YAML (or JSON). The message is the server's."""

    def __init__(self, why: str, *, without_value: str | None = None) -> None:
        """Create the error.

        Args:
            why: the server's message, which may quote a value.
            without_value: the message without a quoted value.
        """
        super().__init__(why)
        self.without_value = without_value or why


def load_yaml(body: bytes, *, overriding: bool = False) -> tuple[Any, list[str]]:
    """Read the first document. Returns its value, and a message for each repeated key.

    Args:
        body: the text.
        overriding: allow a key that a merge key has set before, as Go does if it is not strict.

    Raises:
        BadText: the text is not YAML, or has values that JSON does not have.
    """
    if _OTHER_VERSION.match(body):
        raise BadText("yaml: found incompatible YAML document")
    reader = _Sentences(overriding=overriding)
    try:
        node = next(compose(body), None)
        return (None if node is None else reader.value(node)), reader.duplicates
    except yaml.YAMLError as error:
        raise BadText(_why(error)) from None
    except RecursionError:
        raise BadText("yaml: exceeded max depth") from None


class Reader:
    """Converts a document to a value. Raises its first error.

    Subclasses that report further errors override `key`, `scalar`, `repeated` and `merges_none`.
    """

    def __init__(self, *, overriding: bool = False) -> None:
        """Start a document.

        Args:
            overriding: see `load_yaml`.
        """
        self._overriding = overriding
        self._open: set[int] = set()
        self._visited: set[int] = set()
        self._made = 0
        self._repeated_nodes = 0
        self._repeated = 0

    def value(self, node: yaml.Node) -> Any:
        """Return the value of a node.

        Raises:
            BadText: JSON does not have the value, or aliases expand it too much.
            RecursionError: the node is nested too deeply.
        """
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if id(node) in self._open:
            raise BadText("yaml: anchor value contains itself")
        self._open.add(id(node))
        made: Any = {}
        if isinstance(node, yaml.MappingNode):
            self._fill(made, node)
        else:
            made = [self.value(item) for item in node.value]
        self._open.discard(id(node))
        return made

    def scalar(self, node: yaml.ScalarNode) -> str | float | bool | None:
        """Return the value of a scalar."""
        return _jsonable(_scalar(node))

    def key(self, node: yaml.Node) -> str:
        """Return the text of a key."""
        if not isinstance(node, yaml.ScalarNode):
            raise BadText(f"yaml: invalid map key: line {node.start_mark.line + 1}")
        key = key_text(_scalar(node))
        if key is None:
            raise BadText("unsupported map key of type: <nil>")
        return key

    def repeated(self, node: yaml.Node, key: str) -> None:
        """Do nothing with a repeated key: its last value is used."""

    def merges_none(self, node: yaml.Node) -> None:  # noqa: ARG002 - says where to who asks
        """Refuse a merge key whose value is not an object or a list of objects."""
        raise BadText("yaml: map merge requires map or sequence of maps as the value")

    def _fill(self, made: dict[str, Any], node: yaml.MappingNode) -> None:
        own: set[str] = set()
        for key_node, value_node in node.value:
            if is_merge(key_node):
                self._merge(made, value_node)
                continue
            self._count(key_node)
            key = self.key(key_node)
            if key in (own if self._overriding else made):
                self.repeated(key_node, key)
            own.add(key)
            made[key] = self.value(value_node)

    def _merge(self, made: dict[str, Any], node: yaml.Node) -> None:
        """Merge objects. Earlier objects of a list take precedence, so they are merged last."""
        for source in reversed(merged(node)):
            if isinstance(source, yaml.MappingNode):
                self._fill(made, source)
            else:
                self.merges_none(node)

    def _count(self, node: yaml.Node) -> None:
        self._made += 1
        if id(node) not in self._visited:
            self._visited.add(id(node))
            return
        self._repeated_nodes += 1
        if isinstance(node, yaml.ScalarNode):
            self._repeated += len(node.value)
        enough = self._repeated_nodes > _FEW_ALIASES and self._made > _FEW_NODES
        excessive = enough and self._repeated_nodes > self._made * _share(self._made)
        if excessive or self._repeated > _MAX_REPEATED_CHARS:
            raise BadText("yaml: document contains excessive aliasing")


class _Sentences(Reader):
    """Collects Go's messages for repeated keys."""

    def __init__(self, *, overriding: bool) -> None:
        super().__init__(overriding=overriding)
        self.duplicates: list[str] = []

    def repeated(self, node: yaml.Node, key: str) -> None:
        is_text = isinstance(node, yaml.ScalarNode) and isinstance(_scalar(node), str)
        shown = f'"{key}"' if is_text else key
        sentence = f"line {node.start_mark.line + 1}: key {shown} already set in map"
        if sentence not in self.duplicates:
            self.duplicates.append(sentence)


def _share(nodes: int) -> float:
    """Return the share of this many nodes that may come from aliases."""
    beyond = (nodes - _MANY_NODES) / (_MAX_NODES - _MANY_NODES)
    return _MAX_ALIAS_SHARE - min(max(beyond, 0.0), 1.0) * (_MAX_ALIAS_SHARE - _MIN_ALIAS_SHARE)


def _scalar(node: yaml.ScalarNode) -> str | float | bool | None:
    text: str = node.value
    tag: str = node.tag
    if tag == PLAIN:
        return plain_value(text)
    if tag == f"{TAG}binary":
        return _decoded(text)
    if tag not in _RESOLVED:
        return text
    value = plain_value(text)
    if isinstance(value, str):
        name = tag.removeprefix(TAG)
        line = node.start_mark.line + 1
        raise BadText(
            f"yaml: cannot decode !!str `{text}` as a !!{name}",
            without_value=f"yaml: line {line}: cannot decode a value as a !!{name}",
        )
    return value


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except binascii.Error:
        raise BadText("yaml: !!binary value contains invalid base64 data") from None


def _jsonable(value: str | float | bool | None) -> str | float | bool | None:
    """Convert a number as JSON in Go does: 1.0 becomes an integer, 2**63 becomes a float."""
    if isinstance(value, float):
        if not math.isfinite(value):
            name = "NaN" if math.isnan(value) else f"{value:+}".title()
            raise BadText(f"json: unsupported value: {name}")
        return int(value) if value.is_integer() and abs(value) < _INTEGERS else value
    if isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
        return float(value)
    return value


def _why(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        at = place(error)
        return f"yaml: {f'line {at[0]}: ' if at else ''}{error.problem}"
    return f"yaml: {getattr(error, 'reason', error)}"

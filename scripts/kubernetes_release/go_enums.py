"""The values of enumerations, as Kubernetes' Go types declare them.

An API server writes them into its documents. The documents in Kubernetes' sources lack them, so
that those of older releases get them from here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["add_enums"]

_TYPE: Final = re.compile(r"((?:^//[^\n]*\n)*)^type (\w+) string\b", re.MULTILINE)
_MARKED: Final = re.compile(r"^// ?\+enum\b", re.MULTILINE)
_ALIAS: Final = re.compile(r"^type (\w+) = (\w+\.\w+)$", re.MULTILINE)
_IMPORT: Final = re.compile(r'^\s*(?:import\s+)?(\w+)?\s*"k8s\.io/([-\w/]+)"', re.MULTILINE)
_CONSTANTS: Final = re.compile(r"^const \((.*?)^\)|^const (\w[^\n(]*)", re.MULTILINE | re.DOTALL)
_CONSTANT: Final = re.compile(
    r'^\s*(\w+)(?:\s+([\w.]+))?\s*=\s*(?:([\w.]+)\()?("[^"]*"|[\w.]+)\)?\s*(?://.*)?$', re.MULTILINE
)
"""`Name Type = "value"`, `Name = Type("value")` or `Name = Type(package.Other)`."""
_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r'^\t(?:\w+\s+)?([\w.\[\]*]+)\s+`[^`]*json:"([^"]*)"', re.MULTILINE)
_SHAPE: Final = re.compile(r"((?:\*|\[\]|map\[[\w.]+\])*)(.*)")


class _Field(NamedTuple):
    name: str
    shape: str
    go_type: str
    inline: bool


class _Constant(NamedTuple):
    go_type: str
    value: str


def add_enums(document: Any, folder: Path) -> int:
    """Add the values of enumerations to a document's definitions; return to how many schemas.

    Args:
        document: an OpenAPI v2 document, which is changed.
        folder: checkouts of kubernetes/api and apiextensions-apiserver at the document's release.
    """
    sources = _Sources()
    for path in sorted(folder.rglob("*.go")):
        if not path.name.startswith("zz_") and not path.name.endswith(("_test.go", ".pb.go")):
            package = ".".join(["io.k8s", *path.parent.relative_to(folder).parts])
            sources.read(package, path.read_text("utf-8"))
    added = 0
    for name, definition in document["definitions"].items():
        for field in sources.fields(name):
            values = sources.values(field.go_type)
            schema = definition.get("properties", {}).get(field.name)
            if values and schema is not None:
                _described(schema, field.shape)["enum"] = values
                added += 1
    return added


def _described(schema: Any, shape: str) -> Any:
    """The schema of the values of a field, of its items, or of the values of its map."""
    if "[]" in shape:
        return schema["items"]
    return schema["additionalProperties"] if "map[" in shape else schema


class _Sources:
    """The types, constants and structs of all packages, by their full names."""

    def __init__(self) -> None:
        self._enums: set[str] = set()
        self._aliases: dict[str, str] = {}
        self._constants: dict[str, _Constant] = {}
        self._structs: dict[str, list[_Field]] = {}

    def read(self, package: str, text: str) -> None:
        """Read a file of a package."""
        full = _names_in(package, text)
        marked = (match for match in _TYPE.finditer(text) if _MARKED.search(match[1]))
        self._enums |= {full(match[2]) for match in marked}
        self._aliases |= {full(name): full(other) for name, other in _ALIAS.findall(text)}
        for block, single in _CONSTANTS.findall(text):
            for name, declared, converted, value in _CONSTANT.findall(block or single):
                go_type = full(declared or converted) if declared or converted else ""
                literal = value if value.startswith('"') else full(value)
                self._constants[full(name)] = _Constant(go_type, literal)
        for name, body in _STRUCT.findall(text):
            self._structs[full(name)] = [*_fields(body, full)]

    def fields(self, struct: str) -> Iterator[_Field]:
        """The fields of a struct and of those that it embeds."""
        for field in self._structs.get(self._aliases.get(struct, struct), ()):
            if field.name or not field.inline:
                yield field
            else:
                yield from self.fields(field.go_type)

    def values(self, go_type: str) -> list[str]:
        """The sorted values of an enumeration; none if the type is not one."""
        name = self._aliases.get(go_type, go_type)
        if name not in self._enums:
            return []
        mine = (each for each in self._constants.values() if each.go_type == name)
        return sorted({self._literal(each.value) for each in mine})

    def _literal(self, value: str) -> str:
        while not value.startswith('"'):
            value = self._constants[value].value
        return value[1:-1]


def _fields(body: str, full: Callable[[str], str]) -> Iterator[_Field]:
    for go_type, tag in _FIELD.findall(body):
        name, *options = tag.split(",")
        shape, bare = _SHAPE.fullmatch(go_type).groups()  # type: ignore[union-attr]
        yield _Field(name, shape, full(bare), "inline" in options)


def _names_in(package: str, text: str) -> Callable[[str], str]:
    """How names of a file are written in full."""
    imports: Mapping[str, str] = {
        alias or path.rpartition("/")[2]: f"io.k8s.{path.replace('/', '.')}"
        for alias, path in _IMPORT.findall(text)
    }

    def full(name: str) -> str:
        prefix, _, bare = name.rpartition(".")
        return f"{imports.get(prefix, prefix)}.{bare}" if prefix else f"{package}.{name}"

    return full

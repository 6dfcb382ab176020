"""How Go writes the fields of Kubernetes' types: the table `fields.json`.

The marks are read off the `json` tags of the Go types. `presence.py`, which reads the table, says
what they mean.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["fields_table"]

_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD: Final = re.compile(r'^\t(?:\w+\s+)?([\w.\[\]*]+)\s+`[^`]*json:"([^"]*)"', re.MULTILINE)
_EMBEDDED: Final = ("io.k8s.api.core.v1", "io.k8s.apimachinery.pkg.apis.meta.v1")
"""Packages whose types are embedded in types of other groups."""
_LIST: Final = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"


class _Field(NamedTuple):
    name: str
    go_type: str
    options: tuple[str, ...]


Structs = dict[str, tuple[_Field, ...]]
"""The fields of each Go struct, by the name that its definition has in the document."""


def fields_table(folder: Path, definitions: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The marked fields of each definition, by package and type."""
    structs = _structs(folder)
    table: dict[str, dict[str, str]] = {}
    for name in sorted(definitions):
        marked = " ".join(_marked(structs, name, definitions[name]))
        if marked:
            package, _, kind = name.rpartition(".")
            table.setdefault(package, {})[kind] = marked
    return table


def _structs(folder: Path) -> Structs:
    structs: Structs = {}
    for path in sorted(folder.rglob("*.go")):
        if path.name.startswith("zz_") or path.name.endswith(("_test.go", ".pb.go")):
            continue
        package = "io.k8s." + ".".join(path.parent.relative_to(folder).parts)
        for name, body in _STRUCT.findall(path.read_text("utf-8")):
            structs[f"{package}.{name}"] = tuple(_fields(body))
    return structs


def _fields(body: str) -> Iterator[_Field]:
    for go_type, tag in _FIELD.findall(body):
        name, *options = tag.split(",")
        yield _Field(name, go_type, tuple(options))


def _marked(structs: Structs, name: str, definition: Mapping[str, Any]) -> Iterator[str]:
    properties: Mapping[str, Any] = definition.get("properties", {})
    required: list[str] = definition.get("required", [])
    if name.endswith("List") and properties.get("metadata", {}).get("$ref") == _LIST:
        return  # lists are written by the server itself, not from a client's body
    for field in _flat(structs, name):
        if field.name in properties:
            marks = _marks(field, "$ref" in properties[field.name], field.name in required)
            if marks:
                yield field.name + marks


def _flat(structs: Structs, name: str) -> Iterator[_Field]:
    """The fields of a struct and of those that it embeds."""
    package = name.rpartition(".")[0]
    for field in structs.get(name, ()):
        if field.name or "inline" not in field.options:
            yield field
            continue
        kind = field.go_type.lstrip("*").rpartition(".")[2]
        stable = f"{package.rpartition('.')[0]}.v1"
        homes = (f"{each}.{kind}" for each in (package, stable, *_EMBEDDED))
        yield from _flat(structs, next((home for home in homes if home in structs), ""))


def _marks(field: _Field, refers: bool, required: bool) -> str:
    pointer = field.go_type.startswith("*")
    by_value = refers and not pointer and "[" not in field.go_type
    omitted = "omitzero" in field.options if by_value else "omitempty" in field.options
    marks = "*" if pointer and (not refers or not omitted) else ""
    if omitted == required:
        marks += "?" if required else "!"
    return marks

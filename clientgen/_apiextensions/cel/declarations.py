"""The types of a schema, for expressions to be checked against.

Objects become messages of a descriptor pool: that is how CEL knows members and their types. What a
message cannot hold (lists of lists, maps of lists) is dynamic there, as are int-or-string values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..libraries import cel, proto
from .escaped_names import spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..structure import Structure

_PACKAGE: Final = "clientgen.rules"
_SCALARS: Final = {"integer": "int", "number": "double", "boolean": "bool", "string": "string"}
_FORMATS: Final = {
    "byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"
}  # fmt: skip
_WELL_KNOWN_FILES: Final = ("duration", "struct", "timestamp")
_WELL_KNOWN: Final = {
    "duration": ".google.protobuf.Duration",
    "timestamp": ".google.protobuf.Timestamp",
    "dyn": ".google.protobuf.Value",
}


@dataclass(frozen=True, slots=True)
class _Shape:
    """A type: a scalar's name, `dyn`, `list`, `map`, or the full name of a message."""

    name: str
    inner: _Shape | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """The type of a schema: a `DescriptorPool` and a CEL `Type`; `previous` maps names to it."""

    pool: Any
    type: Any
    previous: Any


def declare(structure: Structure) -> Declared | None:
    """The type of what a schema describes; None when rules cannot look at such values."""
    messages = _Messages()
    shape = messages.shape(structure)
    if shape is None:
        return None
    pool = proto("descriptor_pool").DescriptorPool()
    for name in _WELL_KNOWN_FILES:
        pool.AddSerializedFile(proto(f"{name}_pb2").DESCRIPTOR.serialized_pb)
    try:
        pool.AddSerializedFile(messages.file.SerializeToString())
    except TypeError:  # more members than a message can have
        return None
    cel_type = _type(shape)
    types = cel().Type
    return Declared(pool, cel_type, types.Map(types.STRING, cel_type))


def declare_all(structures: Mapping[str, Structure]) -> tuple[Any, dict[str, Any]]:
    """Return a pool with the types of several schemas, and the type of each by its name.

    Names of members are not escaped.
    """
    messages = _Messages(names_of=lambda name: (name,))
    shapes = {name: messages.shape(structure) for name, structure in structures.items()}
    pool = proto("descriptor_pool").DescriptorPool()
    for name in _WELL_KNOWN_FILES:
        pool.AddSerializedFile(proto(f"{name}_pb2").DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(messages.file.SerializeToString())
    return pool, {name: _type(shape) for name, shape in shapes.items() if shape is not None}


def _type(shape: _Shape) -> Any:
    types = cel().Type
    if shape.inner is None:
        return getattr(types, shape.name.upper(), None) or types(shape.name)
    inner = _type(shape.inner)
    return types.List(inner) if shape.name == "list" else types.Map(types.STRING, inner)


class _Messages:
    """Collects the messages of one schema."""

    def __init__(self, names_of: Callable[[str], tuple[str, ...]] = spellings) -> None:
        self._names_of = names_of
        new_file = proto("descriptor_pb2").FileDescriptorProto
        self.file: Any = new_file(name="rules.proto", package=_PACKAGE, syntax="proto2")
        for name in _WELL_KNOWN_FILES:
            self.file.dependency.append(f"google/protobuf/{name}.proto")

    def shape(self, structure: Structure | None) -> _Shape | None:
        """The shape of a schema; None for values that rules cannot look at."""
        if structure is None:
            return None
        if structure.int_or_string:
            return _Shape("dyn")
        if structure.embedded:
            structure = structure.with_meta()
        if structure.type == "array":
            inner = self.shape(structure.items)
            return None if inner is None else _Shape("list", inner)
        if structure.type != "object":
            scalar = _SCALARS.get(structure.type)
            if scalar == "string":
                scalar = _FORMATS.get(structure.format, scalar)
            return None if scalar is None else _Shape(scalar)
        if structure.additional is not None:
            inner = self.shape(structure.additional)
            return None if inner is None else _Shape("map", inner)
        return self._message(structure)

    def _message(self, structure: Structure) -> _Shape:
        shapes = {
            name: shape
            for member, substructure in structure.properties.items()
            if (names := self._names_of(member)) and (shape := self.shape(substructure)) is not None
            for name in names
        }
        title = f"Object{len(self.file.message_type)}"
        message = self.file.message_type.add(name=title)
        # Members may differ by their case only, which matters for Protobuf's JSON, not for rules.
        message.options.deprecated_legacy_json_field_conflicts = True
        for number, (name, shape) in enumerate(shapes.items(), start=1):
            # Numbers from 19000 to 19999 are taken; no schema comes near.
            field = message.field.add(name=name, number=number, json_name=f"f{number}")
            self._fill(field, shape, message)
        return _Shape(f"{_PACKAGE}.{title}")

    def _fill(self, field: Any, shape: _Shape, message: Any) -> None:
        field.label = field.LABEL_OPTIONAL
        if shape.inner is None:
            self._set_type(field, shape)
        elif shape.inner.inner is not None:
            self._set_type(field, _Shape("dyn"))
        else:
            field.label = field.LABEL_REPEATED
            if shape.name == "list":
                self._set_type(field, shape.inner)
            else:
                self._set_map(field, shape.inner, message)

    def _set_map(self, field: Any, values: _Shape, message: Any) -> None:
        title = "".join(part[:1].upper() + part[1:] for part in field.name.split("_")) + "Entry"
        entry = message.nested_type.add(name=title)
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
        value = entry.field.add(name="value", number=2, label=field.LABEL_OPTIONAL)
        self._set_type(value, values)
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{message.name}.{title}"

    def _set_type(self, field: Any, shape: _Shape) -> None:
        plain = {
            "int": field.TYPE_INT64,
            "double": field.TYPE_DOUBLE,
            "bool": field.TYPE_BOOL,
            "string": field.TYPE_STRING,
            "bytes": field.TYPE_BYTES,
        }
        if shape.name in plain:
            field.type = plain[shape.name]
        else:
            field.type = field.TYPE_MESSAGE
            field.type_name = _WELL_KNOWN.get(shape.name) or f".{shape.name}"

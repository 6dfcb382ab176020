"""Reads object schemas, before types are made from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from clientgen._openapi.schema import Schema, reference_to
from clientgen.generator.sources.spec import META_PACKAGE, Definition

NO_FIELD = "no Python attribute can have a name for this property"
# msgspec has no fields of such names; what a server sends there is kept like any unknown field.
_NO_NAME = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')

Definitions: TypeAlias = Mapping[str, Definition]
_Own: TypeAlias = tuple[Mapping[str, Schema], frozenset[str]]

_NOTHING: _Own = ({}, frozenset())
# Kubernetes' own documents take over hardly any.
_MAX_TAKEN_OVER = 250_000

_OBJECT_META, _STRING = f"{META_PACKAGE}.ObjectMeta", {"type": "string"}
# The properties that a server adds to the schema of an embedded resource.
_IMPLIED = ("apiVersion", "kind")
_TYPE_META = frozenset({*_IMPLIED, "metadata"})
_ZEROS: tuple[Any, ...] = (None, "", 0, {}, [])


class Properties:
    """The properties of schemas, those included that they take over through `allOf`.

    What a definition has is put together once, however many take it over and by whatever way.
    """

    def __init__(self, definitions: Definitions) -> None:
        """Create it for schemas that may refer to these definitions."""
        self._definitions = definitions
        self._by_name: dict[str, _Own] = {}
        self._taken = 0

    def of(self, schema: Schema) -> _Own:
        """A schema's properties by name, and which of them are required.

        Raises:
            OverflowError: there are so many that they cannot be meant.
        """
        self._learn(_taken_over(schema))
        return self._merged(schema)

    def _learn(self, names: Iterable[str]) -> None:
        """Merge definitions, those that they include first. Circles are cut."""
        todo, begun = list(names), set[str]()
        while todo:
            name = todo[-1]
            schema = self._definitions[name].schema
            if name in self._by_name:
                todo.pop()
            elif name in begun:
                self._by_name[name] = self._merged(schema)
            else:
                begun.add(name)
                todo += (
                    n for n in _taken_over(schema) if n not in begun and n not in self._by_name
                )

    def _merged(self, schema: Schema) -> _Own:
        own, own_required = schema.properties, schema.required
        parts = schema.all_of
        if not parts:
            return own, frozenset(own_required)
        properties: dict[str, Schema] = {}
        required: set[str] = set()
        for part in parts:
            target = part.reference
            merged = self._by_name.get(target, _NOTHING) if target else self._merged(part)
            self._taken += len(merged[0])
            if self._taken > _MAX_TAKEN_OVER:
                raise OverflowError
            properties.update(merged[0])
            required.update(merged[1])
        return {**properties, **own}, frozenset(required.union(own_required))


def _taken_over(schema: Schema) -> Iterator[str]:
    """The definitions in a schema's `allOf`, also where one stands in another."""
    for part in schema.all_of:
        target = part.reference
        if target:
            yield target
        else:
            yield from _taken_over(part)


def can_be_field(name: str) -> bool:
    """Return whether a property of this name can be an attribute of a model."""
    return not _NO_NAME.search(name)


def with_metadata(schema: Schema, definitions: Definitions) -> Schema:
    """Add the type fields and the metadata, which an embedded object always has."""
    if not schema.is_embedded_resource or _OBJECT_META not in definitions:
        return schema
    implied = {name: _STRING for name in _IMPLIED if name not in schema.properties}
    return schema.extended({**implied, "metadata": reference_to(_OBJECT_META)}, _IMPLIED)


def is_free(schema: Schema) -> bool:
    """Return whether an object may have properties that are not described."""
    return schema.allows_additional or schema.preserves_unknown


def is_any_object(schema: Schema) -> bool:
    """Return whether a schema describes a resource of any kind: the type fields at most."""
    free = schema.is_embedded_resource and schema.preserves_unknown
    return free and schema.properties.keys() <= _TYPE_META


def is_filled_in(schema: Schema, *, custom: bool) -> bool:
    """Return whether the server fills in a field that was not given.

    Kubernetes states the zero value for whatever it requires and has no default for; a custom
    resource states only what is meant.
    """
    return schema.has_default and (custom or schema.default not in _ZEROS)

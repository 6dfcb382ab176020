"""Facts about Kubernetes' own types that their Python classes do not express.

How lists and maps are merged, and the width of integers, is in the OpenAPI document that comes with
clientgen. What only the v3 document or the types' own markers say stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from clientgen._openapi import schema as openapi
from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.package_manifest import has_header
from clientgen.generator.python_types.loaded_modules import loaded
from clientgen.generator.sources.kubernetes import shipped_definitions
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Model

# Defaults of keys of lists; without them the list could not be a map.
_DEFAULTS: Final[Mapping[tuple[str, str], object]] = {
    ("core.v1.ContainerPort", "protocol"): "TCP",
    ("core.v1.ServicePort", "protocol"): "TCP",
    ("core.v1.LocalObjectReference", "name"): "",
}
_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_CONDITION: Final[Mapping[str, Schema]] = {
    "type": {
        "maxLength": 316,
        "pattern": rf"^({_LABEL}(\.{_LABEL})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
    "status": {"enum": ["True", "False", "Unknown"]},
    "reason": {
        "minLength": 1,
        "maxLength": 1024,
        "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    "message": {"maxLength": 32768},
    "observedGeneration": {"minimum": 0},
}
_MODELS: Final = re.compile(r"\.models(_\d+)?$")


def is_generated(cls: type[Model]) -> bool:
    """Return whether a class is of a generated package."""
    module = loaded(cls.__module__)
    file = getattr(module.module, "__file__", None) if module else None
    return bool(file) and _has_header(str(file))


def add_facts(cls: type[Model], schema: Schema) -> None:
    """Add to the schema of a class of Kubernetes' what is known of its type, in place."""
    name = _name(cls)
    known = _definitions().get(name) if name else None
    properties: dict[str, Schema] = schema.get("properties", {})
    if name is None or known is None or not properties.keys() <= known.properties.keys():
        return
    schema.update(known.topology)
    for field, fact in known.properties.items():
        if field in properties:
            _add(properties[field], fact)
        if field in properties and (name, field) in _DEFAULTS:
            properties[field]["default"] = _DEFAULTS[name, field]
    if name == "meta.v1.Condition":
        for field, limits in _CONDITION.items():
            properties[field].update(limits)


def _add(schema: Schema, facts: openapi.Schema) -> None:
    if schema.get("type") == "integer" and facts.format == "int32":
        schema["format"] = "int32"
    if schema.get("type") == "array" and _has_keys(schema, facts.list_map_keys):
        schema.update(facts.topology)
    elif schema.get("type") == "object" and facts.map_type:
        schema["x-kubernetes-map-type"] = facts.map_type


def _has_keys(schema: Schema, keys: Iterable[str]) -> bool:
    """Return whether every key is always there: a server takes no other lists of type map."""
    items: Schema = schema["items"]
    properties: dict[str, Schema] = items.get("properties", {})
    required: list[str] = items.get("required", [])
    return all(key in required or "default" in properties.get(key, {}) for key in keys)


def _name(cls: type[Model]) -> str | None:
    """`core.v1.Container` for a class of the runtime or of a generated package."""
    if cls.__module__ == ObjectMeta.__module__:
        return f"meta.v1.{cls.__name__}"
    if not is_generated(cls):
        return None
    parts = _MODELS.sub("", cls.__module__).split(".")
    return ".".join([*parts[-2:], cls.__name__])


@cache
def _has_header(file: str) -> bool:
    with Path(file).open("rb") as module:
        return has_header(module.readline(1000))


@cache
def _definitions() -> dict[str, openapi.Schema]:
    """The definitions of the document that comes with clientgen, by `group.version.Kind`."""
    definitions = shipped_definitions()
    return {".".join(name.split(".")[-3:]): schema for name, schema in definitions.items()}

"""The defaults that the in-memory server sets, by definition and property.

Each kind gets an object that has every struct of its schema and none of the plain values; what the
server adds to it are its defaults.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from support.builtin_kinds import resources

from clientgen.testing._apiserver.kinds.catalog import strategy_of

SPEC = Path(__file__).parents[2] / "specs/kubernetes/swagger.json"
# Go's encoding writes these for fields without `omitempty`; nobody chose them.
ZEROS: tuple[Any, ...] = ("", "0", None, 0, False, [], {})
Default = tuple[str, str, Any]


@cache
def definitions() -> dict[str, Any]:
    """Return the definitions of the Kubernetes spec."""
    return json.loads(SPEC.read_bytes())["definitions"]


def server_defaults(known: Mapping[str, Any]) -> Iterator[Default]:
    """Yield the definition, the property and the value of each default that is not zero."""
    kinds = {
        (gvk["group"], gvk["version"], gvk["kind"]): name
        for name, schema in known.items()
        for gvk in schema.get("x-kubernetes-group-version-kind", ())
        if "properties" in schema
    }
    for resource in resources().values():
        name = kinds.get((resource.group, resource.version, resource.kind))
        if name is None:
            continue
        before = _structs(known, name, ())
        after = deepcopy(before)
        after |= {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {}}
        strategy_of(resource).default(after)
        for key in ("apiVersion", "kind", "metadata"):
            after.pop(key, None)
        yield from _added(known, name, before, after)


def _structs(known: Mapping[str, Any], name: str, outer: tuple[str, ...]) -> dict[str, Any]:
    if name in outer:
        return {}
    properties = known[name].get("properties", {})
    inner = {key: _struct(known, schema, (*outer, name)) for key, schema in properties.items()}
    return {key: value for key, value in inner.items() if value is not None}


def _struct(known: Mapping[str, Any], schema: Mapping[str, Any], outer: tuple[str, ...]) -> Any:
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return _structs(known, name, outer) if "properties" in known[name] else None
    if "items" in schema:
        item = _struct(known, schema["items"], outer)
        return None if item is None else [item]
    if "additionalProperties" in schema:
        value = _struct(known, schema["additionalProperties"], outer)
        return None if value is None else {"k": value}
    return None


def _added(
    known: Mapping[str, Any], name: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Default]:
    for key, value in after.items():
        old, schema = before.get(key), known[name]["properties"].get(key, {})
        if old is None:
            if value not in ZEROS and not (key in ("apiVersion", "kind") and "metadata" in before):
                yield name, key, value
        else:
            yield from _added_inside(known, schema, old, value)


def _added_inside(
    known: Mapping[str, Any], schema: Mapping[str, Any], before: Any, after: Any
) -> Iterator[Default]:
    if reference := schema.get("$ref"):
        yield from _added(known, reference.rpartition("/")[2], before, after)
    elif "items" in schema:
        for old, new in zip(before, after, strict=False):
            yield from _added_inside(known, schema["items"], old, new)
    elif "additionalProperties" in schema:
        for key, old in before.items():
            yield from _added_inside(known, schema["additionalProperties"], old, after[key])

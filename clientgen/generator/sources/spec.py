"""What every reader answers with: definitions and operations, still in the API's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clientgen.generator.sources.document import is_array
from clientgen.gvk import GroupVersion, GroupVersionKind

__all__ = ["Definition", "Operation", "Schema", "Spec", "gvks_of"]

# A schema is JSON: resolve reads it once, key by key.
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Definition:
    """A named schema and where it stands."""

    name: str
    schema: Schema
    where: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One HTTP method on one path of a resource.

    `action` is the verb as the API server names it in `x-kubernetes-action`: get, put, post...
    `watchable` is said of lists that also answer to `watch=true`.
    """

    where: str
    operation_id: str
    action: str
    group_version: GroupVersion
    plural: str
    subresource: str
    namespaced: bool
    gvk: GroupVersionKind | None
    body: Schema | None
    response: Schema | None
    consumes: tuple[str, ...]
    watchable: bool = False


@dataclass(frozen=True, slots=True)
class Spec:
    """One document. `ignored` says which operations are no calls on a resource, and why."""

    source: str
    definitions: Mapping[str, Definition]
    operations: tuple[Operation, ...]
    ignored: tuple[tuple[str, str], ...] = ()


def gvks_of(schema: Schema) -> list[GroupVersionKind]:
    """The kinds a schema says it is, from `x-kubernetes-group-version-kind`."""
    stated = schema.get("x-kubernetes-group-version-kind", [])
    return [
        GroupVersionKind(entry.get("group", ""), entry.get("version", ""), entry.get("kind", ""))
        for entry in (stated if is_array(stated) else [stated])
    ]

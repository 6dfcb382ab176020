"""What every reader answers with: definitions and operations, still in the API's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._openapi.json_text import is_array, is_object, pointer
from clientgen._problems import Problem
from clientgen.generator.api_words import DEFINITION, Words

__all__ = [
    "META_PACKAGE",
    "Definition",
    "Input",
    "Operation",
    "Precedence",
    "Schema",
    "Spec",
    "check_definitions",
    "gvks_of",
    "reference_of",
]

META_PACKAGE = "io.k8s.apimachinery.pkg.apis.meta.v1"
"""How the names of the definitions of meta/v1 begin."""
_KINDS = "x-kubernetes-group-version-kind"
_PARTS = ("group", "version", "kind")

# A schema is JSON: resolve reads it once, key by key.
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that was read.

    `name` is the same on every machine and names its digest in the manifest; `shown` is how
    messages call it.
    """

    name: str
    shown: str
    data: bytes


class Precedence(IntEnum):
    """Whose word counts when several sources describe one thing; equals must agree."""

    STAND_IN = 0
    """What a custom resource refers to, for packages that stand alone."""
    DOCUMENT = 1
    """A server's OpenAPI v2 document."""
    EXACT_DOCUMENT = 2
    """A server's OpenAPI v3 document, which says more."""
    MANIFEST = 3
    """The definition of a custom resource: more exact than what a server makes of it."""
    CLASS = 4
    """The user's own class."""

    @property
    def is_document(self) -> bool:
        """Whether a server's OpenAPI document says it."""
        return self in {Precedence.DOCUMENT, Precedence.EXACT_DOCUMENT}


@dataclass(frozen=True, slots=True)
class Definition:
    """A named schema and where it stands."""

    name: str
    schema: Schema
    where: str
    precedence: Precedence = Precedence.DOCUMENT


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
    """One document. `ignored` says which operations are no calls on a resource, and why.

    `notes` are what its author should hear of, and what keeps nothing from being generated.
    """

    source: str
    definitions: Mapping[str, Definition]
    operations: tuple[Operation, ...]
    ignored: tuple[tuple[str, str], ...] = ()
    precedence: Precedence = Precedence.DOCUMENT
    notes: tuple[Problem, ...] = ()


def gvks_of(schema: Schema) -> list[GroupVersionKind]:
    """The kinds a schema says it is, from `x-kubernetes-group-version-kind`."""
    stated = schema.get(_KINDS, [])
    entries = filter(is_object, stated if is_array(stated) else [stated])
    return [GroupVersionKind(*(str(entry.get(part, "")) for part in _PARTS)) for entry in entries]


def check_definitions(schemas: Mapping[str, Schema], where: str, words: Words) -> None:
    """Check the names of schemas, and the kinds that they say they are.

    Args:
        schemas: by their names.
        where: the place of all of them.
        words: those of the document.
    """
    for name, schema in schemas.items():
        place = where + pointer(name)[1:]
        words.fit(name, DEFINITION, place)
        for gvk in gvks_of(schema):
            words.name(gvk, place + pointer(_KINDS)[1:])


def reference_of(schema: Schema) -> str | None:
    """The name of the definition a schema stands for; None if it describes something itself.

    OpenAPI v3 lets nothing stand beside a `$ref`, so a property with a description or a default
    is an `allOf` of that one reference.
    """
    reference = schema.get("$ref")
    if reference is None and "properties" not in schema:
        parts = schema.get("allOf")
        reference = parts[0].get("$ref") if is_array(parts) and len(parts) == 1 else None
    if not isinstance(reference, str):
        return None
    return reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")

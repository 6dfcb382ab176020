"""The result of every reader: definitions and operations, still in the API's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from clientgen._openapi.operation import Operation
from clientgen._openapi.schema import Schema
from clientgen._problems import Problem

META_PACKAGE = "io.k8s.apimachinery.pkg.apis.meta.v1"
"""The prefix of the names of the definitions of meta/v1."""


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
    """The precedence of several sources that describe one thing; equals must agree."""

    STAND_IN = 0
    """A type that a custom resource refers to, for packages that stand alone."""
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
class Spec:
    """One document. `ignored` says which operations are no calls on a resource, and why.

    `notes` are for its author, and do not prevent generation.
    """

    source: str
    definitions: Mapping[str, Definition]
    operations: tuple[Operation, ...]
    ignored: tuple[tuple[str, str], ...] = ()
    precedence: Precedence = Precedence.DOCUMENT
    notes: tuple[Problem, ...] = ()

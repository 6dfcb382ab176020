"""The parts of a document that are read: named schemas and operations, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clientgen._openapi.json_source import pointer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._openapi.operation import Operation
    from clientgen._openapi.schema import Schema


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes:
        shown: how messages call it.
        schemas: those that have a name, in order of the document.
        at: the place of all of them.
        operations: every call on a resource, in order of the paths.
        ignored: operations that are no calls on a resource, and why.
    """

    shown: str
    schemas: Mapping[str, Schema]
    at: str
    operations: tuple[Operation, ...]
    ignored: tuple[tuple[str, str], ...] = ()

    def where(self, name: str) -> str:
        """The place of a schema."""
        return self.at + pointer(name)[1:]

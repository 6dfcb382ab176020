"""Members of built-in types that are never missing: types of kinds that have not moved yet.

The values and structs of types need no table here: `declared.json` has those of all documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ZEROS"]

ZEROS: Final[Mapping[str, Mapping[str, Any]]] = {}
"""Members that are not required and yet never missing, with their zero values."""

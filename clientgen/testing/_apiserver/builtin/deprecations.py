"""Deprecated versions that the API types do not tell, of kinds that have not moved to `kinds`."""

from __future__ import annotations

from typing import Final

from ..kinds.deprecation import Deprecation

__all__ = ["DEPRECATED"]

DEPRECATED: Final[dict[tuple[str, str], Deprecation]] = {
}
"""By apiVersion and kind."""

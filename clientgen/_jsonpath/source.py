"""The text of a path, and errors that show a position in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MAX_SHOWN: Final = 120


@dataclass(frozen=True)
class Place:
    """A position in the text of a path."""

    text: str
    index: int

    def error(self, why: str) -> ValueError:
        """Create the error for what is wrong at this position."""
        shown = self.text if len(self.text) <= _MAX_SHOWN else f"{self.text[:_MAX_SHOWN]}..."
        return ValueError(f"JSONPath {shown!r}, character {self.index + 1}: {why}")

"""Deprecated versions: the API server warns whoever requests one.

https://kubernetes.io/docs/reference/using-api/deprecation-policy/
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Deprecation"]


@dataclass(frozen=True, slots=True)
class Deprecation:
    """The minor releases of Kubernetes that deprecate and remove a version, and its replacement."""

    since: int
    removed: int | None = None
    replacement: str = ""

    def warning(self, api_version: str, kind: str) -> str:
        """Write the text of the Warning header."""
        text = f"{api_version} {kind} is deprecated in v1.{self.since}+"
        if self.removed:
            text += f", unavailable in v1.{self.removed}+"
        return f"{text}; use {self.replacement}" if self.replacement else text

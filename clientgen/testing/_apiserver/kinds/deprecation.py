"""Deprecated versions: the API server warns clients that request one.

https://kubernetes.io/docs/reference/using-api/deprecation-policy/. `deprecations.json` holds what
Kubernetes' API types say of themselves; scripts/update-kubernetes writes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Final


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


_TABLE: Final[dict[str, tuple[int, int | None, str]]] = json.loads(
    resources.files(__name__.rpartition(".")[0]).joinpath("deprecations.json").read_bytes()
)


def deprecation_of(api_version: str, kind: str) -> Deprecation | None:
    """Look up whether the API types call a version of a kind deprecated."""
    entry = _TABLE.get(f"{api_version} {kind}")
    return Deprecation(*entry) if entry else None

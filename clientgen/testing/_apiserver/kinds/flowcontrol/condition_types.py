"""The types of conditions of flow schemas and priority levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, duplicate, required
from clientgen._json import part, parts

if TYPE_CHECKING:
    from collections.abc import Iterator


def condition_type_causes(obj: dict[str, Any]) -> Iterator[Cause]:
    """Check that the conditions of a status have types, each its own."""
    seen: set[str] = set()
    for index, condition in enumerate(parts(part(obj, "status"), "conditions")):
        at, kind = f"status.conditions[{index}].type", condition.get("type") or ""
        if kind in seen:
            yield duplicate(at, kind)
        seen.add(kind)
        if not kind:
            yield required(at)

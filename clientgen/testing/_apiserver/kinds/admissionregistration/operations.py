"""The operations that mutating policies can be about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, not_supported
from clientgen._json import parts, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_MUTATING: Final = ("*", "CONNECT", "CREATE", "UPDATE")


def operation_causes(match: dict[str, Any], path: str) -> Iterator[Cause]:
    """Refuse operations whose objects cannot be changed."""
    for rule in parts(match, "resourceRules"):
        for operation in texts(rule, "operations"):
            if operation not in _MUTATING:
                yield not_supported(f"{path}.resourceRules.operations", operation, _MUTATING)

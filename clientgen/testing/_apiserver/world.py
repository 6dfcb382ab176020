"""What rules may ask of everything else that is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["World"]


class World(Protocol):
    """The stored objects, to look at; what comes back is a copy of its own."""

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """One object, None when there is none; cluster-scoped ones have namespace ""."""
        ...

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        """All objects of a kind, or those of one namespace."""
        ...

    def now(self) -> datetime:
        """The time by the server's clock, in UTC."""
        ...

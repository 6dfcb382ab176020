"""Reads of other stored objects, which the rules of some kinds need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class ObjectReader(Protocol):
    """Reads stored objects. Every object it returns is a copy."""

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return one object, or None. Cluster-scoped objects have the namespace ""."""
        ...

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, or those of one namespace."""
        ...

    def has_gate(self, name: str) -> bool:
        """Return whether a feature is on."""
        ...

    def now(self) -> datetime:
        """Return the time of the server's clock, in UTC."""
        ...

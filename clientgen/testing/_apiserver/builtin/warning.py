"""Warnings about objects that are valid but probably not intended.

A kind's warnings are functions that yield texts. They see the object as it is stored, and the one
before it: `@warns` registers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..resources import Resource

__all__ = ["Warns", "warnings_of", "warns"]

Warns: TypeAlias = "Callable[[dict[str, Any], dict[str, Any] | None], Iterable[str]]"

_WARNS: Final[dict[tuple[str, str, str], Warns]] = {}


def warns(group: str, *plurals: str, part: str = "") -> Callable[[Warns], Warns]:
    """Register what to warn of; it is called with the new object, and with the old one or None."""

    def register(warn: Warns) -> Warns:
        for plural in plurals:
            _WARNS[group, plural, part] = warn
        return warn

    return register


def warnings_of(
    resource: Resource, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
) -> Iterable[str]:
    """List the registered warnings for a write."""
    warn = _WARNS.get((resource.group, resource.plural, subresource))
    return warn(new, old) if warn else ()

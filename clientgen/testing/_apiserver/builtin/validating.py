"""Validation beyond the schema: what the rules of each built-in kind refuse.

A kind's rules are functions that yield Causes. They see the object as it would be stored, defaulted
and prepared: `@checks` registers rules for the object on its own, `@checks_change` those that
compare it with what is stored now, `@checks_last` those that need to look at other objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clientgen._apimachinery.failures import Cause

    from ..object_reader import ObjectReader
    from ..resources import Resource

__all__ = [
    "Change",
    "Check",
    "Look",
    "checked",
    "checked_last",
    "checks",
    "checks_change",
    "checks_last",
    "compared",
]

Check: TypeAlias = "Callable[[dict[str, Any]], Iterable[Cause]]"
Change: TypeAlias = "Callable[[dict[str, Any], dict[str, Any]], Iterable[Cause]]"
Look: TypeAlias = "Callable[[dict[str, Any], dict[str, Any] | None, ObjectReader], Iterable[Cause]]"

_CHECKS: Final[dict[tuple[str, str], list[tuple[Check, bool]]]] = {}
_CHANGES: Final[dict[tuple[str, str, str], list[Change]]] = {}
_LAST: Final[dict[tuple[str, str], Look]] = {}


def checks(group: str, *plurals: str, again: bool = True) -> Callable[[Check], Check]:
    """Register rules for an object on its own; unless `again`, they hold for new objects only."""

    def register(check: Check) -> Check:
        for plural in plurals:
            _CHECKS.setdefault((group, plural), []).append((check, again))
        return check

    return register


def checks_change(group: str, *plurals: str, part: str = "") -> Callable[[Change], Change]:
    """Register rules for a change, called with the new object and the old one."""

    def register(check: Change) -> Change:
        for plural in plurals:
            _CHANGES.setdefault((group, plural, part), []).append(check)
        return check

    return register


def checks_last(group: str, plural: str) -> Callable[[Look], Look]:
    """Register rules that are asked only when all others are content."""

    def register(check: Look) -> Look:
        _LAST[group, plural] = check
        return check

    return register


def checked(resource: Resource, obj: dict[str, Any], *, is_new: bool) -> list[Cause]:
    """Run the rules for an object on its own."""
    causes: list[Cause] = []
    for check, again in _CHECKS.get((resource.group, resource.plural), ()):
        if is_new or again:
            causes += check(obj)
    return causes


def compared(
    resource: Resource, subresource: str, new: dict[str, Any], old: dict[str, Any]
) -> list[Cause]:
    """Run the rules for a change."""
    causes: list[Cause] = []
    for change in _CHANGES.get((resource.group, resource.plural, subresource), ()):
        causes += change(new, old)
    return causes


def checked_last(
    resource: Resource, new: dict[str, Any], old: dict[str, Any] | None, reader: ObjectReader
) -> list[Cause]:
    """Run the rules that look at other objects."""
    last = _LAST.get((resource.group, resource.plural))
    return list(last(new, old, reader)) if last is not None else []

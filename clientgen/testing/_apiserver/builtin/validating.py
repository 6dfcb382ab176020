"""Validation beyond the schema: what the rules of each built-in kind refuse.

A kind's rules are functions that yield Causes. They see the object as it would be stored, defaulted
and prepared: `@checks` registers rules for the object on its own, `@checks_change` those that
compare it with what is stored now, `@checks_last` those that need to look at other objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.failures import invalid

from .kinds import TOLD_AS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clientgen._apimachinery.failures import Cause

    from ..resources import Resource
    from ..world import World

__all__ = [
    "Change",
    "Check",
    "Look",
    "checks",
    "checks_change",
    "checks_last",
    "validate",
]

Check: TypeAlias = "Callable[[dict[str, Any]], Iterable[Cause]]"
Change: TypeAlias = "Callable[[dict[str, Any], dict[str, Any]], Iterable[Cause]]"
Look: TypeAlias = "Callable[[dict[str, Any], dict[str, Any] | None, World], Iterable[Cause]]"

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


def validate(
    resource: Resource,
    new: dict[str, Any],
    old: dict[str, Any] | None,
    subresource: str,
    world: World,
) -> list[Cause]:
    """What is wrong with an object beyond its metadata; nothing when it may be stored.

    Raises:
        Failure: 422, for kinds that are told under another group than their own.
    """
    key = (resource.group, resource.plural)
    causes: list[Cause] = []
    for check, again in () if subresource else _CHECKS.get(key, ()):
        if old is None or again:
            causes += check(new)
    if old is not None:
        for change in _CHANGES.get((*key, subresource), ()):
            causes += change(new, old)
    last = _LAST.get(key)
    if last is not None and not causes and not subresource:
        causes += last(new, old, world)
    if causes and key in TOLD_AS:
        raise invalid(TOLD_AS[key], resource.kind, new["metadata"]["name"], causes)
    return causes

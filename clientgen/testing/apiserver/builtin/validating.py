"""Validation beyond the schema: what the rules of each built-in kind refuse.

A kind's rules are functions that yield Causes, registered with `@validates`. They see the object as
it would be stored, defaulted and prepared, and on a change the one that is stored now. Rules that
only look at a change say so with `@validates(..., changes=True)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clientgen.testing.apiserver.failures import Cause
    from clientgen.testing.apiserver.resources import Resource
    from clientgen.testing.apiserver.world import World

__all__ = ["Change", "Check", "checks", "checks_change", "validate"]

Check: TypeAlias = "Callable[[dict[str, Any]], Iterable[Cause]]"
Change: TypeAlias = "Callable[[dict[str, Any], dict[str, Any]], Iterable[Cause]]"
Final_: TypeAlias = "Callable[[dict[str, Any], dict[str, Any] | None, World], Iterable[Cause]]"

_CHECKS: Final[dict[tuple[str, str], tuple[Check, bool]]] = {}
_CHANGES: Final[dict[tuple[str, str, str], Change]] = {}
_LAST: Final[dict[tuple[str, str], Final_]] = {}


def checks(group: str, *plurals: str, again: bool = True) -> Callable[[Check], Check]:
    """Register rules for an object on its own; with `again` they hold for changed ones too."""

    def register(check: Check) -> Check:
        for plural in plurals:
            _CHECKS[group, plural] = (check, again)
        return check

    return register


def checks_change(group: str, *plurals: str, part: str = "") -> Callable[[Change], Change]:
    """Register rules for a change, called with the new object and the old one."""

    def register(check: Change) -> Change:
        for plural in plurals:
            _CHANGES[group, plural, part] = check
        return check

    return register


def checks_last(group: str, plural: str) -> Callable[[Final_], Final_]:
    """Register rules that are asked only when all others are content."""

    def register(check: Final_) -> Final_:
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
    """What is wrong with an object beyond its metadata; nothing when it may be stored."""
    key = (resource.group, resource.plural)
    causes: list[Cause] = []
    check, again = _CHECKS.get(key, (None, False))
    if check is not None and not subresource and (old is None or again):
        causes += check(new)
    change = _CHANGES.get((*key, subresource))
    if change is not None and old is not None:
        causes += change(new, old)
    last = _LAST.get(key)
    if last is not None and not causes and not subresource:
        causes += last(new, old, world)
    return causes

"""Filling in the defaults of a schema.

A null where null is no value counts as absent: it is replaced by the default, or goes away
(Kubernetes' "Defaulting and Nullable").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_container, is_object

from .structure import copied

if TYPE_CHECKING:
    from .structure import Structure


def default(value: Any, structure: Structure | None, *, keep_nulls: bool = False) -> None:
    """Fill in the defaults, in place; `keep_nulls` keeps the nulls that have none."""
    if not keep_nulls:
        drop_nulls(value, structure)
    _default(value, structure)


def drop_nulls(value: Any, structure: Structure | None) -> None:
    """Remove the nulls that are no values and have no default to take their place."""
    if structure is None:
        return
    if is_array(value):
        for item in value:
            if is_container(item):
                drop_nulls(item, structure.items)
    elif is_object(value):
        _drop_members(value, structure)


def _drop_members(value: dict[str, Any], structure: Structure) -> None:
    gone: list[str] = []
    for name, member in value.items():
        if member is None:
            substructure = structure.member(name)
            if (
                substructure is not None
                and not substructure.nullable
                and not substructure.has_default
            ):
                gone.append(name)
        elif is_container(member):
            drop_nulls(member, structure.member(name))
    for name in gone:
        del value[name]


def _default(value: Any, structure: Structure | None) -> None:
    if structure is None:
        return
    if is_object(value):
        _default_object(value, structure)
    elif is_array(value) and structure.items is not None:
        items = structure.items
        for at, item in enumerate(value):
            if item is None and not items.nullable:
                value[at] = copied(items.default)
            if is_container(item):
                _default(item, items)


def _default_object(value: dict[str, Any], structure: Structure) -> None:
    for name, substructure in structure.properties.items():
        if substructure.has_default and (
            name not in value or (value[name] is None and not substructure.nullable)
        ):
            value[name] = copied(substructure.default)
    for name, member in value.items():
        known_value = structure.member(name)
        if known_value is None:
            continue
        if member is None and not known_value.nullable:
            value[name] = copied(known_value.default)
        elif is_container(member):
            _default(member, known_value)

"""Filling in the defaults of a schema.

A null where null is no value counts as absent: it is replaced by the default, or goes away
(Kubernetes' "Defaulting and Nullable").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import is_container, is_list, is_object
from .structure import copied

if TYPE_CHECKING:
    from .structure import Structure

__all__ = ["default", "drop_nulls"]


def default(value: Any, structure: Structure | None, *, keep_nulls: bool = False) -> None:
    """Fill in the defaults, in place; `keep_nulls` keeps the nulls that have none."""
    if not keep_nulls:
        drop_nulls(value, structure)
    _default(value, structure)


def drop_nulls(value: Any, structure: Structure | None) -> None:
    """Remove the nulls that are no values and have no default to take their place."""
    if structure is None:
        return
    if is_list(value):
        for each in value:
            if is_container(each):
                drop_nulls(each, structure.items)
    elif is_object(value):
        _drop_members(value, structure)


def _drop_members(value: dict[str, Any], structure: Structure) -> None:
    gone: list[str] = []
    for name, each in value.items():
        if each is None:
            substructure = structure.member(name)
            if (
                substructure is not None
                and not substructure.nullable
                and not substructure.has_default
            ):
                gone.append(name)
        elif is_container(each):
            drop_nulls(each, structure.member(name))
    for name in gone:
        del value[name]


def _default(value: Any, structure: Structure | None) -> None:
    if structure is None:
        return
    if is_object(value):
        _default_object(value, structure)
    elif is_list(value) and structure.items is not None:
        items = structure.items
        for at, each in enumerate(value):
            if each is None and not items.nullable:
                value[at] = copied(items.default)
            if is_container(each):
                _default(each, items)


def _default_object(value: dict[str, Any], structure: Structure) -> None:
    for name, substructure in structure.properties.items():
        if substructure.has_default and (
            name not in value or (value[name] is None and not substructure.nullable)
        ):
            value[name] = copied(substructure.default)
    for name, each in value.items():
        known_value = structure.member(name)
        if known_value is None:
            continue
        if each is None and not known_value.nullable:
            value[name] = copied(known_value.default)
        elif is_container(each):
            _default(each, known_value)

"""Taking away what a schema does not know, as the server does before it stores an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_container, is_object

from .structure import META_FIELDS

if TYPE_CHECKING:
    from .structure import Structure


def prune(value: Any, structure: Structure | None) -> list[str]:
    """Remove unknown members, in place, and return their paths in order: `spec.items[0].x`.

    The metadata of embedded objects (the root is one) is left alone, and so is everything in
    `x-kubernetes-preserve-unknown-fields`, except within members that are declared.
    """
    unknown: list[str] = []
    _prune(value, structure, "", unknown)
    return sorted(unknown)


def _prune(value: Any, structure: Structure | None, path: str, unknown: list[str]) -> None:
    if is_object(value):
        if structure is None:
            unknown.extend(_joined(path, name) for name in value)
            value.clear()
        else:
            _prune_object(value, structure, path, unknown)
    elif is_array(value):
        items = structure.items if structure else None
        if structure and structure.preserves_unknown:
            _keep_items(value, items, path, unknown)
        else:
            for at, item in enumerate(value):
                if is_container(item):
                    _prune(item, items, f"{path}[{at}]", unknown)


def _prune_object(
    value: dict[str, Any], structure: Structure, path: str, unknown: list[str]
) -> None:
    properties = structure.properties
    gone: list[str] = []
    for name, member in value.items():
        if structure.embedded and name in META_FIELDS:
            continue
        substructure = properties.get(name)
        if substructure is not None or structure.is_map:
            if is_container(member):
                _prune(member, substructure or structure.additional, _joined(path, name), unknown)
        elif not structure.preserves_unknown:
            gone.append(name)
    for name in gone:
        del value[name]
        unknown.append(_joined(path, name))


def _keep_items(value: list[Any], items: Structure | None, path: str, unknown: list[str]) -> None:
    # Inside a list that keeps everything, items keep everything too: only what they declare counts.
    if items is None:
        return
    for at, item in enumerate(value):
        where = f"{path}[{at}]"
        if is_array(item):
            _keep_items(item, items.items, where, unknown)
        elif is_object(item):
            for name, inner in item.items():
                substructure = items.member(name)
                if substructure is not None and not (items.embedded and name in META_FIELDS):
                    _prune(inner, substructure, _joined(where, name), unknown)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

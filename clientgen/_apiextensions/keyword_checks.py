"""Checks objects against the keywords of a schema: see `clientgen/_openapi/keywords`.

Old and new values are paired as in `correlation`: members by name, items of `map` lists by their
keys. Items of other lists have no old value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._json import is_array, is_object
from clientgen._openapi.keywords import MISSING

from .correlation import old_item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .structure import Structure


def has_refusals(structure: Structure) -> bool:
    """Return whether any keyword in a schema can refuse an object."""
    inner = (*structure.properties.values(), structure.items, structure.additional)
    return bool(structure.refusals) or any(each and has_refusals(each) for each in inner)


def keyword_causes(structure: Structure, new: Any, old: Any) -> Iterator[Cause]:
    """Yield the causes for which keywords refuse an object. `old` is None for a create."""
    return _causes(structure, new, MISSING if old is None else old, "")


def _causes(structure: Structure, new: Any, old: Any, path: str) -> Iterator[Cause]:
    for refusal in structure.refusals:
        if why := refusal(new, old):
            yield invalid_value(path, None if new is MISSING else new, why)
    if is_array(new) and structure.items is not None:
        for at, item in enumerate(new):
            before = old_item(structure, old, item)
            yield from _causes(
                structure.items, item, MISSING if before is None else before, f"{path}[{at}]"
            )
    if is_object(new) or is_object(old):
        yield from _member_causes(structure, new, old, path)


def _member_causes(structure: Structure, new: Any, old: Any, path: str) -> Iterator[Cause]:
    before, after = (value if is_object(value) else {} for value in (old, new))
    for name in dict.fromkeys((*after, *before)):
        inner = structure.member(name)
        if inner is not None:
            where = f"{path}.{name}" if path else name
            yield from _causes(inner, after.get(name, MISSING), before.get(name, MISSING), where)

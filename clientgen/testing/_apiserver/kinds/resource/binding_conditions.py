"""The conditions that a scheduler awaits before it binds a pod to a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, too_many
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import texts

from ..shared.common_checks import matches, unique

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_CONDITIONS: Final = 4
_BINDING: Final = ("bindingConditions", "bindingFailureConditions")


def binding_causes(device: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check that a device names conditions for success and for failure, or neither."""
    for member in _BINDING:
        names = texts(device, member)
        if len(names) > _MAX_CONDITIONS:
            yield too_many(f"{path}.{member}", len(names), _MAX_CONDITIONS)
        else:
            for index, name in enumerate(names):
                yield from matches(f"{path}.{member}[{index}]", name, qualified_name_problems)
    for member in _BINDING:
        yield from unique(f"{path}.{member}", texts(device, member))
    for index, name in enumerate(texts(device, _BINDING[1])):
        if name in texts(device, _BINDING[0]):
            why = "bindingFailureConditions must not overlap with bindingConditions"
            yield invalid_value(f"{path}.{_BINDING[1]}[{index}]", name, why)
    for member, other in (_BINDING, _BINDING[::-1]):
        if device.get(member) and not device.get(other):
            why = f"{other} are required to use {member}"
            yield invalid_value(f"{path}.{other}", None, why)

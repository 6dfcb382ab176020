"""What a poll has read: which values differ from those of the poll before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._models.arguments import type_of

if TYPE_CHECKING:
    from collections.abc import Hashable


def check_results(results: object) -> None:
    """Check what a polled function returned.

    Raises:
        TypeError: It is not a mapping.
    """
    if not isinstance(results, Mapping):
        raise TypeError(
            "a polled function must return a mapping of keys to values, so that each key is"
            f" compared with the poll before, not {type_of(results)}"
        )


class PolledValues:
    """The values of the newest poll."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}

    def replace(self, results: Mapping[Any, Any]) -> list[Any]:
        """Take the results of a poll of everything. Returns the keys that differ or are gone."""
        before, now = self.values, dict(results)
        changed = [key for key, value in now.items() if _differs(before, key, value)]
        self.values = now
        return [*changed, *(key for key in before if key not in now)]

    def forget(self, key: Hashable) -> None:
        """Forget a key: its next value counts as a change."""
        self.values.pop(key, None)


def _differs(before: Mapping[Any, Any], key: Any, value: Any) -> bool:
    return key not in before or bool(before[key] != value)

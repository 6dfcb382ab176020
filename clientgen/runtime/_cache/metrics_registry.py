"""One publisher of metrics per registry, because prometheus-client takes each name once."""

from __future__ import annotations

from _thread import RLock  # as functools does
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from prometheus_client import CollectorRegistry

__all__ = ["PerRegistry"]

T = TypeVar("T")


class PerRegistry(Generic[T]):
    """Makes a thing for each registry when it is first asked for; it goes with the registry."""

    def __init__(self, make: Callable[[CollectorRegistry], T]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[CollectorRegistry, T] = WeakKeyDictionary()
        self._making = RLock()

    def of(self, registry: CollectorRegistry) -> T:
        """The one of a registry."""
        with self._making:
            if registry not in self._made:
                self._made[registry] = self._make(registry)
            return self._made[registry]

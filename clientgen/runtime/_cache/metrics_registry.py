"""One publisher of metrics per registry, because a registry takes each metric name only once."""

from __future__ import annotations

from _thread import RLock  # `threading` takes time to import
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from prometheus_client import CollectorRegistry

T = TypeVar("T")


class PerRegistry(Generic[T]):
    """Creates an object for each registry on first use, and drops it together with the registry."""

    def __init__(self, create: Callable[[CollectorRegistry], T]) -> None:
        self._create = create
        self._by_registry: WeakKeyDictionary[CollectorRegistry, T] = WeakKeyDictionary()
        self._lock = RLock()

    def get_or_create(self, registry: CollectorRegistry) -> T:
        """Return the object of a registry."""
        with self._lock:
            if registry not in self._by_registry:
                self._by_registry[registry] = self._create(registry)
            return self._by_registry[registry]

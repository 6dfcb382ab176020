"""The objects that were read last from a cache that keeps them in another form."""

from __future__ import annotations

from _thread import allocate_lock  # `threading` takes time to import
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .indexer import meta_namespace_key

if TYPE_CHECKING:
    from .mutation_detector import MutationDetector

E = TypeVar("E")
T = TypeVar("T")

MAX_OBJECTS = 128
"""The maximum number of objects."""

MAX_BYTES = 1 << 20
"""The maximum size of the JSON of all objects. Decoded pods take twice as much."""


class RecentObjects(Generic[E, T]):
    """Objects by entry of the cache. The object that was not used for longest is dropped first.

    Any number of threads may use it. All readers of an entry get the same object.

    Attributes:
        detector: Finds objects that readers have changed.
    """

    def __init__(self) -> None:
        self.detector: MutationDetector[Any] | None = None
        self._lock = allocate_lock()
        self._objects: OrderedDict[E, tuple[T, int]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, entry: E) -> T | None:
        """Return the object of an entry, or None."""
        with self._lock:
            found = self._objects.get(entry)
            if found is None:
                return None
            self._objects.move_to_end(entry)
            return found[0]

    def add(self, entry: E, obj: T, size: int) -> T:
        """Add the object of an entry, and return it. If another thread was first, return its.

        Args:
            entry: The entry.
            obj: The object.
            size: The size of its JSON in bytes.
        """
        with self._lock:
            found = self._objects.get(entry)
            if found is not None:
                return found[0]
            self._objects[entry] = (obj, size)
            self._size += size
            self._note_read(obj)
            while len(self._objects) > MAX_OBJECTS or self._size > MAX_BYTES:
                _, (dropped, its_size) = self._objects.popitem(last=False)
                self._size -= its_size
                self._note_dropped(dropped)
        return obj

    def _note_read(self, obj: T) -> None:
        if self.detector is not None and self.detector.enabled:
            self.detector.note_read(meta_namespace_key(obj), obj)

    def _note_dropped(self, obj: T) -> None:
        if self.detector is not None and self.detector.enabled:
            self.detector.note_dropped(meta_namespace_key(obj), obj)

"""The indices of a store: objects by the values of an index function.

One task or thread writes at a time, and any number of threads read. `indexer` explains why readers
need no lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

IndexFunction: TypeAlias = Callable[[T], Iterable[str]]
"""A function that returns the values of an object in an index."""

NAMESPACE_INDEX = "namespace"
"""The index every indexer has (client-go: cache.NamespaceIndex)."""

logger = logging.getLogger(__name__)


class IndexFailure(Struct, frozen=True):
    """An index function raised an exception for an object: the index does not have the object."""

    index: str
    key: str
    error: Exception


class Index(Generic[T]):
    """Objects by the values that a function returns for them.

    The index stores the values of each object, and does not call the function again to remove the
    object. If the function returned other values then, the object would stay in the index.
    """

    __slots__ = ("_values", "buckets", "function", "name")

    def __init__(self, name: str, function: IndexFunction[T]) -> None:
        self.name = name
        self.function = function
        self.buckets: dict[str, dict[str, T]] = {}
        self._values: dict[str, tuple[str, ...]] = {}

    def bucket(self, value: str) -> Mapping[str, T]:
        """Return the objects under a value, by key."""
        return self.buckets.get(value) or {}

    def values_for(self, key: str, obj: T, failures: list[IndexFailure]) -> tuple[str, ...]:
        """Return the values of an object. If the function fails, add a failure, and return ()."""
        try:
            return _checked(self.function(obj))
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises
            failures.append(IndexFailure(self.name, key, error))
            return ()

    def fill(self, objects: Mapping[str, T]) -> list[IndexFailure]:
        """Add the objects to an empty index. Returns the failures of the function."""
        failures: list[IndexFailure] = []
        for key, obj in objects.items():
            if values := self.values_for(key, obj, failures):
                self._add_to_buckets(key, obj, values)
                self._values[key] = values
        return failures

    def put(self, key: str, obj: T, values: tuple[str, ...]) -> None:
        """Put an object under these values, and remove its key from all other values."""
        self._add_to_buckets(key, obj, values)
        before = self._values.get(key, ())
        if before != values:
            self._remove_from_buckets(key, before, values)
            self._store_values(key, values)

    def discard(self, key: str) -> None:
        """Remove an object."""
        self._remove_from_buckets(key, self._values.pop(key, ()), ())

    def _add_to_buckets(self, key: str, obj: T, values: tuple[str, ...]) -> None:
        buckets = self.buckets
        for value in values:
            bucket = buckets.get(value)
            if bucket is None:
                buckets[value] = {key: obj}
            else:
                bucket[key] = obj

    def _store_values(self, key: str, values: tuple[str, ...]) -> None:
        if values:
            self._values[key] = values
        else:
            self._values.pop(key, None)

    def _remove_from_buckets(
        self, key: str, before: tuple[str, ...], after: tuple[str, ...]
    ) -> None:
        for value in before:
            if value not in after:
                bucket = self.buckets[value]
                del bucket[key]
                if not bucket:
                    del self.buckets[value]


def namespace_of(obj: Any) -> tuple[str, ...]:
    """Return the namespace of an object as index values; none for cluster-scoped objects."""
    namespace: str = obj.metadata.namespace
    return (namespace,) if namespace else ()


def _checked(values: Iterable[str]) -> tuple[str, ...]:
    """Check the values that an index function returned, and drop duplicates."""
    if isinstance(values, str):  # iterating it would yield letters
        raise TypeError(
            f"an index function must return a list of values, not the string {values!r}"
        )
    checked = tuple(values)
    if len(checked) == 1 and checked[0].__class__ is str:
        return checked
    if not all(map(_is_text, checked)):
        raise TypeError(f"the values of an index must be strings, not {checked!r}")
    return tuple(dict.fromkeys(checked))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def log_failures(failures: list[IndexFailure]) -> None:
    """Log one record for each index that failed, with the number of objects."""
    for name in dict.fromkeys(failure.index for failure in failures):
        failed = [failure for failure in failures if failure.index == name]
        first = failed[0]
        logger.error(
            "index %r failed for %r%s; this index does not find them",
            name,
            first.key,
            f" and {len(failed) - 1} more" if len(failed) > 1 else "",
            exc_info=first.error,
        )

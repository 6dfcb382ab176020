"""The store of a cache: objects by key, and indices over them.

One writer applies what a reflector delivers; any number of threads read. Readers take no lock. In
CPython, reading without a lock is correct, with the GIL and without:

- Every read is one operation on one dict: a lookup, or `list()` of its keys or values. The
  operation is atomic, because keys are strings, so that no Python code runs within it.
- A relist builds new dicts (`fill`) and replaces the old dicts in one assignment. Running reads
  continue with the old dicts, which do not change any more.
- An update of an object that stays in its bucket is one assignment, so the object is never missing.

A single read is consistent. Two reads may see two states, like two calls of client-go's
ThreadSafeStore. Writes are ordered so that an object that an index returns is also in the store.
"""

from __future__ import annotations

from _thread import RLock  # `threading` takes time to import
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeAlias, TypeVar

from ..errors import NotSynced
from .fill import Fill
from .indices import NAMESPACE_INDEX, Index, IndexFailure, IndexFunction, log_failures, namespace_of
from .keys import meta_namespace_key, split_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "NAMESPACE_INDEX",
    "IndexFailure",
    "IndexFunction",
    "Indexer",
    "meta_namespace_key",
    "split_key",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Objects: TypeAlias = list[T]  # the method `list` of the class below shadows the builtin


class Indexer(Generic[T]):
    """Objects by key, with indices.

    The indexer returns the cached objects themselves, which the whole program shares: treat them as
    read-only. Copy an object (`clientgen.runtime.deep_copy`) before you change it. The order is
    arbitrary.

    The methods that write (`upsert`, `remove`, `replace`) are for the owner of the cache only.

    `on_index_failure` is called once per write with the objects for which an index function raised;
    by default, failures are logged. The object is stored, and the other indices contain it: a cache
    that stopped at a faulty function would no longer show the server's state (client-go panics).

    While the cache of an informer is not synced, from `hide` to `show`, reading raises `NotSynced`.

    An informer may keep objects in another form (`_cache/storage`). Then `decode` returns the
    object of an entry, and the methods that write take and return entries.
    """

    __slots__ = (
        "_decode",
        "_is_shown",
        "_on_index_failure",
        "_resource_version",
        "_shown",
        "_state",
        "_write_lock",
    )

    def __init__(
        self,
        indices: Mapping[str, IndexFunction[T]] | None = None,
        *,
        on_index_failure: Callable[[list[IndexFailure]], object] | None = None,
        decode: Callable[[Any], T] | None = None,
    ) -> None:
        self._decode = decode
        self._state: _State[T] = _State()
        # The view for readers: the same state, or a view that raises `NotSynced`.
        self._shown: _Shown[T] = self._state
        self._is_shown = True
        self._resource_version = ""
        self._on_index_failure = on_index_failure or log_failures
        self._write_lock = RLock()  # for writers only: the reflector, and `add_index`
        self._add_index(NAMESPACE_INDEX, namespace_of)
        for name, function in (indices or {}).items():
            self.add_index(name, function)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.stored)} objects at {self._resource_version!r}>"

    def __len__(self) -> int:
        return len(self._shown.entries)

    def __contains__(self, key: object) -> bool:
        return key in self._shown.entries

    @property
    def resource_version(self) -> str:
        """The version of the last list or event; empty at first.

        Objects that are read afterwards are at least as new.
        """
        return self._resource_version

    @property
    def populated(self) -> bool:
        """Whether the cache was filled. Until then, an object that it lacks may exist."""
        return self._state.populated

    @property
    def stored(self) -> Mapping[str, Any]:
        """The entries by key, also while they are hidden. For the owner of the cache only."""
        return self._state.entries

    def get(self, key: str) -> T | None:
        """Return the object with this key (`namespace/name`), or None."""
        entry = self._shown.entries.get(key)
        return entry if entry is None or self._decode is None else self._decode(entry)

    def keys(self) -> list[str]:
        """Return the keys of all objects."""
        return [*self._shown.entries]

    def by_index(self, name: str, value: str) -> list[T]:
        """Return the objects that an index has under a value.

        Raises:
            KeyError: the index does not exist.
        """
        return self.objects_of(self.entries_by_index(name, value))

    def entries(self) -> Objects[Any]:
        """Return the entries of all objects. For listers."""
        return [*self._shown.entries.values()]

    def entries_by_index(self, name: str, value: str) -> Objects[Any]:
        """Return the entries that an index has under a value. For listers.

        Raises:
            KeyError: the index does not exist.
        """
        return [*self._index(name).bucket(value).values()]

    def objects_of(self, entries: Objects[Any]) -> Objects[T]:
        """Return the objects of entries."""
        decode = self._decode
        return entries if decode is None else [decode(entry) for entry in entries]

    def index_keys(self, name: str, value: str) -> list[str]:
        """Return the keys of the objects that an index has under a value.

        Raises:
            KeyError: the index does not exist.
        """
        return [*self._index(name).bucket(value)]

    def index_values(self, name: str) -> list[str]:
        """Return the values under which an index has objects.

        Raises:
            KeyError: the index does not exist.
        """
        return [*self._index(name).buckets]

    def index_names(self) -> list[str]:
        """Return the names of the indices."""
        return [*self._state.indices]

    def hide(self, why: Callable[[], str]) -> None:
        """Make reads raise `NotSynced` until `show` is called. `why` returns the message."""
        self._is_shown, self._shown = False, _Hidden(why)

    def show(self) -> None:
        """Let reads return the stored objects."""
        self._is_shown, self._shown = True, self._state

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Add an index. Objects that are already stored are indexed at once.

        `function` returns the values for an object: none, one or several. The function must be
        fast, must not change the object, and must always return the same values for the same
        object. It is called when the object is written, before the object can be read.

        Raises:
            ValueError: an index with this name exists.
        """
        decode = self._decode
        self._add_index(name, function if decode is None else _decoding(function, decode))

    def _add_index(self, name: str, function: IndexFunction[Any]) -> None:
        with self._write_lock:
            state = self._state
            if name in state.indices:
                raise ValueError(f"the index {name!r} already exists")
            index = Index(name, function)
            failures = index.fill(state.entries)
            state.indices[name] = index
        self._report(failures)

    def upsert(self, obj: T, resource_version: str = "") -> T | None:
        """Store an object. Returns the previous object with the same key."""
        key = meta_namespace_key(obj)
        failures: list[IndexFailure] = []
        with self._write_lock:
            state = self._state
            indexed = [
                (index, index.values_for(key, obj, failures)) for index in state.each_index()
            ]
            old = state.entries.get(key)
            state.entries[key] = obj
            for index, values in indexed:
                index.put(key, obj, values)
            self._written(resource_version)
        self._report(failures)
        return old

    def remove(self, key: str, resource_version: str = "") -> T | None:
        """Remove an object. Returns the object, or None if it did not exist."""
        with self._write_lock:
            state = self._state
            for index in state.each_index():
                index.discard(key)
            old = state.entries.pop(key, None)
            self._written(resource_version)
        return old

    def replace(self, objects: Iterable[T], resource_version: str) -> Mapping[str, T]:
        """Replace all objects at once. Returns the previous objects by key.

        If two objects have the same key, the later object is stored. A list has such objects if its
        continue token has expired between two pages.
        """
        fill: Fill[T] = Fill()
        for obj in objects:
            fill.add(obj)
        return self.swap(fill, resource_version)

    def new_fill(
        self,
        prepare: Callable[[Any], T | None] | None = None,
        known: Callable[[str, Any], T | None] | None = None,
    ) -> Fill[T]:
        """Return an empty fill with the indices of this store, for `swap`."""
        return Fill(prepare, known=known, indices=[*self._state.each_index()])

    def swap(self, fill: Fill[T], resource_version: str) -> Mapping[str, T]:
        """Replace all objects as `replace` does. The indexer uses the dicts of the fill."""
        state: _State[T] = _State()
        state.entries = fill.entries
        state.populated = True
        with self._write_lock:
            replaced = self._state
            for old in replaced.each_index():
                state.indices[old.name] = fill.index_like(old)
            self._state = state
            if self._is_shown:
                self._shown = state
            self._resource_version = resource_version
        fill.replaced = replaced
        self._report(fill.failures)
        return replaced.entries

    def advance(self, resource_version: str) -> None:
        """Note that the objects have not changed up to this version, as a bookmark reports."""
        self._resource_version = resource_version or self._resource_version

    def _written(self, resource_version: str) -> None:
        self._state.populated = True
        self.advance(resource_version)

    def _index(self, name: str) -> Index[Any]:
        indices = self._shown.indices
        try:
            return indices[name]
        except KeyError:
            names = ", ".join(map(repr, [*indices]))
            raise KeyError(f"there is no index {name!r}; the indices are {names}") from None

    def _report(self, failures: list[IndexFailure]) -> None:
        if failures:
            self._on_index_failure(failures)

    # This method is last, because it shadows the builtin `list` in the annotations below it.
    def list(self) -> list[T]:
        """Return all objects."""
        return self.objects_of(self.entries())


def _decoding(
    function: IndexFunction[T], decode: Callable[[Any], T]
) -> Callable[[Any], Iterable[str]]:
    return lambda entry: function(decode(entry))


class _Shown(Protocol[T_co]):
    """The view of a cache that readers get."""

    @property
    def entries(self) -> Mapping[str, T_co]: ...

    @property
    def indices(self) -> Mapping[str, Index[Any]]: ...


class _Hidden:
    """The view of a cache that is not synced: reading raises `NotSynced`."""

    __slots__ = ("_reason",)

    def __init__(self, why: Callable[[], str]) -> None:
        self._reason = why

    @property
    def entries(self) -> NoReturn:
        raise NotSynced(self._reason())

    indices = entries


class _State(Generic[T]):
    """The content of the cache, which a relist replaces. Entries usually are the objects."""

    __slots__ = ("entries", "indices", "populated")

    def __init__(self) -> None:
        self.entries: dict[str, T] = {}
        self.indices: dict[str, Index[Any]] = {}
        self.populated = False

    def each_index(self) -> Iterable[Index[Any]]:
        return self.indices.values()

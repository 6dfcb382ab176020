"""Detects changes of cached objects, for tests. client-go: tools/cache/mutation_detector.go.

The objects of a cache are shared. If a program changes an object, all users of the cache see the
change, until the next event silently reverts it. The detector keeps the JSON of each object as it
was stored, and compares the JSON later. So it needs the memory of a second cache.

The detector compares JSON, because for `==`, `1`, `1.0` and `True` are equal, and so are two
quantities of the same amount.
"""

from __future__ import annotations

import os
from _thread import allocate_lock  # `threading` takes time to import
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import UNSET, Struct, json

from clientgen._json import is_array, is_object

from .._http.patches import json_pointer
from .._models.model import Model
from .._models.model_codec import encode
from .._models.model_info import is_sensitive
from .._models.reprs import HIDDEN
from .._models.unstructured import Unstructured, holds_secrets
from .deltas import Added, Deleted, Updated
from .indexer import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .deltas import Notification

T = TypeVar("T")
Path: TypeAlias = tuple[str | int, ...]

ENVIRONMENT_VARIABLE = "CLIENTGEN_CACHE_MUTATION_DETECTOR"

CHECK_INTERVAL_SECONDS = 1.0
"""Seconds between two checks."""

# An object is checked for this long after it has left the cache: handlers may still hold it.
_RETAINED_SECONDS = 120.0


def detector_enabled(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the environment has `CLIENTGEN_CACHE_MUTATION_DETECTOR=true`.

    client-go's variable is KUBE_CACHE_MUTATION_DETECTOR. The values are those that Go reads as
    true.
    """
    value = (os.environ if environ is None else environ).get(ENVIRONMENT_VARIABLE, "")
    return value in {"1", "t", "T", "TRUE", "true", "True"}


class Change(Struct, frozen=True):
    """A changed field: its JSON pointer, and the values before and after as JSON.

    The JSON of a missing value is empty. Values of Secrets and similar kinds are hidden.
    """

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.before or 'nothing'} -> {self.after or 'nothing'}"


class Mutation(Struct, frozen=True):
    """A cached object that was changed."""

    key: str
    kind: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}: {'; '.join(map(str, self.changes))}"


class CacheMutationError(AssertionError):
    """Cached objects were changed. `mutations` lists the objects and their changes.

    Copy an object (`clientgen.runtime.deep_copy`) before changing it.
    """

    def __init__(self, cache: str, mutations: list[Mutation]) -> None:
        super().__init__(cache, mutations)
        self.cache = cache
        self.mutations = mutations

    def __str__(self) -> str:
        where = f"the cache of {self.cache}" if self.cache else "a cache"
        listed = "\n  ".join(map(str, self.mutations))
        return f"objects in {where} were changed; copy them first (deep_copy):\n  {listed}"


class _Entry(Struct, Generic[T]):
    """An object, its JSON when it was stored, and the time until which it is checked."""

    key: str
    object: T
    snapshot: bytes
    until: float = 0.0


class MutationDetector(Generic[T]):
    """Detects changes of the objects of one cache.

    `observe` gets every notification before handlers do. `check` is called every
    `CHECK_INTERVAL_SECONDS`. Objects that have left the cache are checked for two more minutes.

    Args:
        cache: The name of the cache in messages.
        enabled: Whether changes are detected; None reads the environment (`detector_enabled`).
        on_reads: Whether the cache decodes objects when they are read. Then `note_read` and
            `note_dropped` name the objects, and notifications do not.
    """

    def __init__(
        self, cache: str = "", *, enabled: bool | None = None, on_reads: bool = False
    ) -> None:
        self.cache = cache
        self._on_reads = on_reads
        self.enabled = detector_enabled() if enabled is None else enabled
        self._entries: dict[str, _Entry[T]] = {}
        self._removed_entries: list[_Entry[T]] = []
        self._leaving_entries: list[_Entry[T]] = []
        self._lock = allocate_lock()

    def observe(self, notification: Notification[T]) -> None:
        """Take a snapshot of the object that is in the store now."""
        if not self.enabled or self._on_reads:
            return
        with self._lock:
            match notification:
                case Added(obj) | Updated(_, obj):
                    self._add_entry(meta_namespace_key(obj), obj)
                case Deleted(obj):
                    self._remove_entry(meta_namespace_key(obj))

    def note_read(self, key: str, obj: T) -> None:
        """Take a snapshot of an object that readers share from now on."""
        with self._lock:
            self._add_entry(key, obj)

    def note_dropped(self, key: str, obj: T) -> None:
        """Note that later readers do not get this object any more."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry.object is obj:
                self._remove_entry(key)

    def check(self, now: float) -> list[Mutation]:
        """Compare all objects, and return each change once. `now` is the time of any clock."""
        with self._lock:
            for entry in self._leaving_entries:
                entry.until = now + _RETAINED_SECONDS
            checked = [*self._entries.values(), *self._removed_entries, *self._leaving_entries]
            self._removed_entries = [
                entry
                for entry in self._removed_entries + self._leaving_entries
                if entry.until > now
            ]
            self._leaving_entries = []
            return [mutation for entry in checked if (mutation := _find_mutation(entry))]

    def verify(self, now: float) -> None:
        """Compare all objects.

        Raises:
            CacheMutationError: An object was changed.
        """
        if mutations := self.check(now):
            raise CacheMutationError(self.cache, mutations)

    def _add_entry(self, key: str, obj: T) -> None:
        entry = self._entries.get(key)
        if entry is None or entry.object is not obj:  # a resync has the same object again
            self._remove_entry(key)
            self._entries[key] = _Entry(key, obj, _snapshot(obj))

    def _remove_entry(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._leaving_entries.append(entry)


def _find_mutation(entry: _Entry[Any]) -> Mutation | None:
    obj, snapshot = entry.object, _snapshot(entry.object)
    if snapshot == entry.snapshot:
        return None
    differences = _differences(json.decode(entry.snapshot), json.decode(snapshot), ())
    entry.snapshot = snapshot
    show = _hide if _is_secret(obj) else _show
    changes = [Change(json_pointer(*path), show(old), show(new)) for path, old, new in differences]
    kind = obj.kind if isinstance(obj, Unstructured) else obj.__class__.__name__
    return Mutation(entry.key, kind, tuple(changes))


def _is_secret(obj: object) -> bool:
    if isinstance(obj, Unstructured):
        return holds_secrets(obj)
    return isinstance(obj, Model) and is_sensitive(type(obj))


def _snapshot(obj: object) -> bytes:
    try:
        return encode(obj)
    except (TypeError, ValueError) as error:  # a changed value may have no JSON form
        return json.encode(f"not JSON: {error}")


def _differences(before: Any, after: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the paths at which two JSON values differ, with both values; UNSET if missing."""
    steps = _steps(before, after)
    if steps is None:
        yield path, before, after
        return
    for step, old, new in steps:
        if _show(old) != _show(new):
            yield from _differences(old, new, (*path, step))


def _steps(before: Any, after: Any) -> list[tuple[str | int, Any, Any]] | None:
    """Pair the members of two objects, or of two arrays; None for other values."""
    if is_object(before) and is_object(after):
        names = dict.fromkeys([*before, *after])
        return [(name, before.get(name, UNSET), after.get(name, UNSET)) for name in names]
    if is_array(before) and is_array(after):
        pairs = zip_longest(before, after, fillvalue=UNSET)
        return [(index, old, new) for index, (old, new) in enumerate(pairs)]
    return None


def _show(value: Any) -> str:
    return "" if value is UNSET else json.encode(value).decode()


def _hide(value: Any) -> str:
    return "" if value is UNSET else HIDDEN

"""Listers: read a cache like the API, objects by name and lists by label.

Listers make no requests. Wait until the informer is synced before you read: until then, all methods
raise `NotSynced`. (client-go's listers return the objects that have arrived so far:
tools/cache/listers.go and generated listers.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from .._http.path_segments import check_segment
from .._http.selectors import (
    EVERYTHING,
    Selector,
    label_selector,
    parse_label_selector,
    selector_of,
)
from .._models.meta_v1 import LabelSelector
from .indexer import NAMESPACE_INDEX
from .not_found import not_found

if TYPE_CHECKING:
    from .._http.resource import Resource
    from .indexer import Indexer

T = TypeVar("T")

Labels: TypeAlias = str | Selector | LabelSelector | Mapping[str, str | Sequence[str] | None]
"""A label selector.

It is a string (`app=web,tier in (a, b),!legacy`), a mapping (`{"app": "web", "tier":
["a", "b"], "legacy": None}`), or the `LabelSelector` of a spec. An empty selector selects
everything.
"""


class Lister(Generic[T]):
    """Reads the objects of one resource from a cache.

    A lister returns the cached objects themselves, which the whole program shares: treat them as
    read-only. Copy an object (`clientgen.runtime.deep_copy`) before you change it. The order is
    arbitrary.
    """

    __slots__ = ("_indexer", "_resource")

    def __init__(self, indexer: Indexer[T], resource: Resource) -> None:
        self._indexer = indexer
        self._resource = resource

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self._resource.name}: {len(self._indexer.stored)} objects>"
        )

    @overload
    def get(self, name: str, /) -> T: ...
    @overload
    def get(self, namespace: str, name: str, /) -> T: ...
    def get(self, *path: str) -> T:
        """Return one object: `get(namespace, name)`, or `get(name)` for cluster-scoped objects.

        `get(*split_key(key))` works for both.

        Raises:
            NotFound: the object is not in the cache.
            NotSynced: the cache is not synced yet.
            ValueError: a name is not valid, or a namespace is missing or not allowed.
        """
        namespace, name = path if len(path) > 1 else ("", *path)
        if bool(namespace) != self._resource.namespaced:
            raise ValueError(_scope_message(self._resource))
        return _get(self._indexer, self._resource, namespace, name)

    def in_namespace(self, namespace: str) -> NamespaceLister[T]:
        """Return a lister for one namespace.

        Raises:
            ValueError: the namespace is not a valid name, or the resource is not namespaced.
        """
        if not self._resource.namespaced:
            raise ValueError(_scope_message(self._resource))
        return NamespaceLister(self._indexer, self._resource, namespace)

    # This method is last, because it shadows the builtin `list` in the annotations below it.
    def list(self, label_selector: Labels = EVERYTHING) -> list[T]:
        """Return the objects in all namespaces whose labels match the selector.

        Raises:
            NotSynced: the cache is not synced yet.
            ValueError: the selector is not valid.
        """
        return _selected(self._indexer, self._indexer.entries(), label_selector)


class NamespacedLister(Lister[T]):
    """A `Lister` typed for namespaced objects: the base class of generated listers."""

    __slots__ = ()

    # Type checkers see the scope here. `Lister.get` raises a ValueError for the other form anyway.
    def get(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, namespace: str, name: str, /
    ) -> T:
        """Return one object.

        Raises:
            NotFound: the object is not in the cache.
            NotSynced: the cache is not synced yet.
            ValueError: a name is not valid.
        """
        return super().get(namespace, name)


class ClusterLister(Lister[T]):
    """A `Lister` typed for cluster-scoped objects: the base class of generated listers."""

    __slots__ = ()

    def get(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, name: str, /
    ) -> T:
        """Return one object.

        Raises:
            NotFound: the object is not in the cache.
            NotSynced: the cache is not synced yet.
            ValueError: the name is not valid.
        """
        return super().get(name)


class NamespaceLister(Generic[T]):
    """Reads the objects of one resource in one namespace from a cache, like `Lister`.

    Raises:
        ValueError: the namespace is not a valid name.
    """

    __slots__ = ("_indexer", "_resource", "namespace")

    def __init__(self, indexer: Indexer[T], resource: Resource, namespace: str) -> None:
        self._indexer = indexer
        self._resource = resource
        self.namespace = check_segment("namespace", namespace)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._resource.name} in {self.namespace!r}>"

    def get(self, name: str) -> T:
        """Return one object.

        Raises:
            NotFound: the object is not in the cache.
            NotSynced: the cache is not synced yet.
            ValueError: the name is not valid.
        """
        return _get(self._indexer, self._resource, self.namespace, name)

    # This method is last, because it shadows the builtin `list` in the annotations below it.
    def list(self, label_selector: Labels = EVERYTHING) -> list[T]:
        """Return the namespace's objects whose labels match the selector.

        Raises:
            NotSynced: the cache is not synced yet.
            ValueError: the selector is not valid.
        """
        entries = self._indexer.entries_by_index(NAMESPACE_INDEX, self.namespace)
        return _selected(self._indexer, entries, label_selector)


def _get(indexer: Indexer[T], resource: Resource, namespace: str, name: str) -> T:
    try:
        obj = indexer.get(namespace + "/" + name if namespace else name)
    except TypeError:
        obj = None
    if obj is None:
        if resource.namespaced:
            check_segment("namespace", namespace)
        check_segment("name", name)
        raise not_found(resource, name)
    return obj


def _scope_message(resource: Resource) -> str:
    if resource.namespaced:
        return f"{resource.plural} are namespaced: get(namespace, name)"
    return f"{resource.plural} are cluster-scoped: get(name)"


def _selected(indexer: Indexer[T], entries: list[Any], wanted: Labels) -> list[T]:
    """Return the objects of the entries whose labels match. Other entries are not decoded."""
    selector = _selector(wanted)
    if selector.requirements:
        matches = selector.matches
        entries = [entry for entry in entries if matches(entry.metadata.labels)]
    return indexer.objects_of(entries)


def _selector(wanted: Labels) -> Selector:
    match wanted:
        case Selector():
            return wanted
        case str():
            return parse_label_selector(wanted)
        case LabelSelector():
            return selector_of(wanted) or EVERYTHING
        case Mapping():
            return parse_label_selector(label_selector(wanted))
        case _:
            # None is refused, too: in specs, None selects nothing; in calls, often everything.
            raise TypeError(f"{wanted!r} is not a label selector")

# Derived from _async/live_namespaces.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The namespaces of a manager, which change while its informers run."""

# Informers and their set of namespaces call each other's private methods.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ._primitives import short_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from .._cache.informer_options import NamespaceOptions


class Member(Protocol):
    """The methods of an informer that the set calls."""

    def _add_namespace(self, namespace: str) -> None: ...
    def _remove_namespace(self, namespace: str) -> None: ...
    def _set_namespaces_known(self) -> None: ...
    def _has_listed(self, namespace: str) -> bool: ...


class LiveNamespaces:
    """A set of namespaces that several informers watch.

    A controller reconciles the objects of a namespace only after all informers have listed it.
    Until then its requests are held back, because a cache that lacks the namespace looks like a
    namespace without objects.

    Args:
        selector: The label selector of the namespaces; empty if the program names them.
        selectors: The selectors of the objects of namespaces that have their own.

    Attributes:
        lock: Held while namespaces are added or removed, and while a controller reads its object.
        is_known: Whether the namespaces have been listed for the first time.
    """

    def __init__(
        self, selector: str = "", selectors: Mapping[str, NamespaceOptions] | None = None
    ) -> None:
        self.selector = selector
        self.selectors = selectors or {}
        # To prevent deadlocks, this lock is acquired before the lock of an informer's cache, never
        # after it.
        self.lock = short_lock()
        self.is_known = False
        # This set is replaced, never changed, because `title` reads it without the lock.
        self._names: frozenset[str] = frozenset()
        self._ready: set[str] = set()
        self._informers: list[Member] = []
        self._held: dict[str, dict[Hashable, Callable[[], object]]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    @property
    def title(self) -> str:
        """The set in messages: `namespaces with team=shop`, or the names."""
        if self.selector:
            return f"namespaces with {self.selector}"
        return ", ".join(self.names) or "no namespace"

    @property
    def names(self) -> list[str]:
        """The namespaces, sorted."""
        return sorted(self._names)

    # ---- informers ----------------------------------------------------------------------------

    def join(self, informer: Member) -> None:
        """Add an informer, and make it watch the namespaces."""
        with self.lock:
            self._informers.append(informer)
            for name in sorted(self._names):
                informer._add_namespace(name)
            if self.is_known:
                informer._set_namespaces_known()

    def leave(self, informer: Member) -> None:
        """Remove an informer that has stopped. Held requests no longer wait for it."""
        with self.lock:
            self._informers = [each for each in self._informers if each is not informer]
            self._release_ready()

    def note_listed(self, namespace: str) -> None:
        """Record that an informer has listed a namespace, or that its kind is not served."""
        with self.lock:
            self._release(namespace)

    # ---- the set ------------------------------------------------------------------------------

    def replace(self, names: Iterable[str]) -> None:
        """Replace the set with the namespaces of a new list."""
        listed = set(names)
        with self.lock:
            for name in sorted(self._names - listed):
                self.remove(name)
            for name in sorted(listed):
                self.add(name)
            self.is_known = True
            for informer in self._informers:
                informer._set_namespaces_known()

    def add(self, name: str) -> None:
        """Add a namespace, if it is missing, and make all informers watch it."""
        with self.lock:
            if name not in self._names:
                self._names |= {name}
                for informer in self._informers:
                    informer._add_namespace(name)

    def remove(self, name: str) -> None:
        """Remove a namespace, its cached objects and its held requests."""
        with self.lock:
            if name in self._names:
                self._names -= {name}
                self._ready.discard(name)
                self._held.pop(name, None)
                for informer in self._informers:
                    informer._remove_namespace(name)

    # ---- controllers --------------------------------------------------------------------------

    def admits(self, namespace: str, key: Hashable, again: Callable[[], object]) -> bool:
        """Return whether a controller may reconcile a request of a namespace now.

        If not, the caller drops the request. If the namespace is selected but not all informers
        have listed it, `again` is called once for each key, after all informers have listed the
        namespace. The caller must hold `lock`.
        """
        if not namespace or self._is_ready(namespace):
            return True
        if namespace in self._names:
            self._held.setdefault(namespace, {})[key] = again
        return False

    def _is_ready(self, namespace: str) -> bool:
        if namespace in self._names and namespace not in self._ready:
            if not all(each._has_listed(namespace) for each in self._informers):
                return False
            self._ready.add(namespace)
        return namespace in self._ready

    def _release(self, namespace: str) -> None:
        if namespace in self._held and self._is_ready(namespace):
            for again in self._held.pop(namespace).values():
                again()

    def _release_ready(self) -> None:
        for namespace in [*self._held]:
            self._release(namespace)

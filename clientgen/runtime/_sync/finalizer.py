# Derived from _async/finalizer.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Finalizer`: cleans up after an object before the server removes it."""

# It uses the clientset's way to the client of an object.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._controllers.finalizers import (
    FinalizerState,
    FinalizerStep,
    add_patch,
    checked_finalizer,
    remove_patch,
)
from .._http.path_segments import name_in, uid_in
from .._http.retry import ConflictRetry, annotate
from .._models.deep_copy import deep_copy
from .._models.unstructured import Object
from ..errors import Conflict, Invalid, NotFound
from ._primitives import awaited, check_waiting, short_lock, sleep, uncancelled

if TYPE_CHECKING:
    from .._http.patches import Patch
    from ._primitives import Function
    from .clientset import ClientsetBase

__all__ = ["Finalizer"]

T = TypeVar("T", bound=Object)

_CONFLICT_SECONDS = 60.0


class Finalizer(Generic[T]):
    """Cleans up after objects before the server removes them.

        finalizer = Finalizer(k, "example.com/copies", remove_copies)

        def reconcile(context: Context[Secret]) -> None:
            source = finalizer.ensure(context.object)
            if source is None:
                return  # it is gone, or was cleaned up after
            ...

    A cleanup is never lost: `ensure` returns an object only if it has the finalizer, so nobody
    works for an object that could vanish. The finalizer is removed after the cleanup has succeeded.
    A cleanup that succeeded is not repeated: `ensure` asks the server before it cleans up, as
    caches may be stale, and remembers for which objects only the removal has failed. If the program
    crashes between the two, the next one cleans up again, so a cleanup must not mind if there is
    nothing left to do.

    Finalizers of others are kept. Objects that are being deleted get no finalizer, as the server
    refuses it.

    Args:
        k: The clientset, whose scheme knows the kind of the objects.
        name: The name of the finalizer, with a domain: `example.com/copies`. It never changes, or
            objects that have the old one are never removed.
        cleanup: A coroutine function (in `Finalizer`, an ordinary function) that gets an object as
            the server has it. If it raises, or returns False because it has to wait for something,
            the object keeps the finalizer, and the next `ensure` calls it again.

    Raises:
        ValueError: The name is not valid.
    """

    def __init__(self, k: ClientsetBase, name: str, cleanup: Function[[T], bool | None]) -> None:
        check_waiting("cleanup", cleanup)
        self._k = k
        self._cleanup = cleanup
        self._memory = _Memory(FinalizerState(checked_finalizer(name)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        """The name of the finalizer."""
        return self._memory.state.name

    def ensure(self, obj: T | None) -> T | None:
        """See to it that the object has the finalizer; if it is being deleted, clean up.

        No request is sent for an object that has the finalizer and is not being deleted.

        Args:
            obj: The object, which may come from a cache. None if there is none.

        Returns:
            The object with the finalizer; it is the newest one if the finalizer was added. None if
            there is nothing to do for it any more.

        Raises:
            ValueError: The object has no uid, because it was not read from the server.
            Exception: What `cleanup` raises.
        """
        return None if obj is None else self._run(obj, is_wanted=True)

    def release(self, obj: T) -> None:
        """Clean up after an object that is to have the finalizer no more, and remove it.

        It is for objects that are no longer this controller's, such as one that has lost a label.
        Nothing is done for an object without the finalizer.

        Args:
            obj: The object, which may come from a cache.

        Raises:
            ValueError: The object has no uid, because it was not read from the server.
            Exception: What `cleanup` raises.
        """
        self._run(obj, is_wanted=False)

    def _run(self, obj: T, *, is_wanted: bool) -> T | None:
        if not uid_in(obj):
            raise ValueError(f"{obj!r} has no uid: it must be read from the server first")
        client = self._k._of_object(obj, None)
        return _Run(self._memory, self._cleanup, client, is_wanted=is_wanted).run(obj)


class _Memory:
    """The state of a finalizer, which workers share."""

    def __init__(self, state: FinalizerState) -> None:
        self.state = state
        self._lock = short_lock()

    def next_step(self, obj: Object, *, is_live: bool, is_wanted: bool) -> FinalizerStep:
        """Decide what to do."""
        with self._lock:
            return self.state.next_step(obj, is_live=is_live, is_wanted=is_wanted)

    def remember(self, obj: Object, *, is_removed: bool) -> None:
        """Remember what was done."""
        with self._lock:
            self.state.remember(obj, is_removed=is_removed)


class _Run(Generic[T]):
    """One call: step by step, until it is known whether there is an object to work for."""

    def __init__(
        self,
        memory: _Memory,
        cleanup: Function[[T], bool | None],
        client: Any,
        *,
        is_wanted: bool,
    ) -> None:
        self._memory = memory
        self._cleanup = cleanup
        self._client = client
        self._is_wanted = is_wanted
        self._retry = ConflictRetry(monotonic() + _CONFLICT_SECONDS)
        self._refused: Patch | None = None

    def run(self, obj: T) -> T | None:
        """Take the steps."""
        current: T | None = obj
        is_live = False
        while current is not None:
            step = self._memory.next_step(current, is_live=is_live, is_wanted=self._is_wanted)
            if step is FinalizerStep.WORK:
                return current
            if step is FinalizerStep.OVER:
                return None
            if step is FinalizerStep.CLEAN_UP:
                # A copy: a cleanup that takes the finalizer off its object has not removed it.
                if uncancelled(awaited("cleanup", self._cleanup(deep_copy(current)))) is False:
                    return None
                self._memory.remember(current, is_removed=False)
            elif step is FinalizerStep.LOOK:
                current, is_live = self._look(obj), True
            else:
                current, is_live = self._write(step, current), True
        return None

    def _write(self, step: FinalizerStep, current: T) -> T | None:
        """Add or remove the finalizer. Returns the object after it; None if it is gone."""
        name = self._memory.state.name
        patch = (
            add_patch(current, name) if step is FinalizerStep.ADD else remove_patch(current, name)
        )
        try:
            changed: T = self._client.patch(name_in(current), patch)
        except NotFound:
            self._forget(current)
            return None
        except (Conflict, Invalid) as error:  # Invalid: a test of the patch has failed
            self._pause(error, patch)
            return self._look(current)
        if step is FinalizerStep.ADD:
            return changed
        self._forget(current)
        return None

    def _pause(self, error: Conflict | Invalid, patch: Patch) -> None:
        """Wait before the next attempt. Raises the error if another attempt cannot help."""
        delay = self._retry.after(error, monotonic())
        # The same patch again: no test has failed, the server refuses the object.
        if delay is None or patch == self._refused:
            raise annotate(error, self._retry.count, None)
        self._refused = patch
        sleep(delay)

    def _look(self, obj: T) -> T | None:
        """Read the object from the server; None if it is gone, or another one has its name."""
        try:
            live: T | None = self._client.get(name_in(obj))
        except NotFound:
            live = None
        if live is not None and uid_in(live) == uid_in(obj):
            return live
        self._forget(obj)
        return None

    def _forget(self, obj: T) -> None:
        """Remember that the object has the finalizer no more."""
        self._memory.remember(obj, is_removed=True)

"""`AsyncFinalizer`: cleans up after an object before the server removes it."""

# Finalizers use the clientset's `_client_of_object`.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._controllers.finalizers import (
    FinalizerState,
    FinalizerStep,
    add_patch,
    checked_finalizer,
    remove_patch,
)
from .._http.path_segments import name_in, uid_in
from .._http.retry import ConflictRetry, annotate
from .._models.arguments import check_function
from .._models.deep_copy import deep_copy
from .._models.unstructured import Object
from ..errors import Conflict, Invalid, NotFound
from ._primitives import awaited, check_callback, short_lock, sleep, uncancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.patches import Patch
    from .._models.meta_v1 import ObjectMeta
    from ._primitives import Function
    from .clientset import AsyncClientsetBase

T = TypeVar("T", bound=Object)

_CONFLICT_TIMEOUT_SECONDS = 60.0


class AsyncFinalizer(Generic[T]):
    """Cleans up after objects before the server removes them.

        finalizer = AsyncFinalizer(k, "example.com/copies", remove_copies)

        async def reconcile(context: AsyncContext[Secret]) -> None:
            source = await finalizer.ensure(context.object)
            if source is None:
                return  # the object is gone, or was cleaned up
            ...

    A cleanup is never lost: `ensure` returns an object only if it has the finalizer, so no work is
    done for an object that could vanish. The finalizer is removed after the cleanup has succeeded.
    A successful cleanup is not repeated: `ensure` reads the object from the server before it cleans
    up, because caches may be stale, and remembers the objects whose finalizer could not be removed.
    If the program crashes between the cleanup and the removal, the next process cleans up again, so
    a cleanup must succeed if nothing is left to do.

    Other finalizers of the object are kept. Objects that are being deleted get no finalizer,
    because the server would refuse it.

    Args:
        k: The clientset, whose scheme knows the kind of the objects.
        name: The name of the finalizer, with a domain: `example.com/copies`. Never change it:
            objects with the old name would never be removed.
        cleanup: A coroutine function (in `Finalizer`, an ordinary function) that gets the object as
            read from the server. If it raises, or returns False because it has to wait, the object
            keeps the finalizer, and the next `ensure` calls `cleanup` again.
        when: Returns whether an object that is not being deleted needs the finalizer; None means
            that all objects do. `ensure` returns an object that needs no finalizer as it is. An
            object that has the finalizer keeps it when `when` does not hold any more, because a
            changed field, perhaps seen in a stale cache, must not destroy anything: its cleanup
            runs when it is deleted, or when the program calls `release`.

    Raises:
        ValueError: The name is not valid.
    """

    def __init__(
        self,
        k: AsyncClientsetBase,
        name: str,
        cleanup: Function[[T], bool | None],
        *,
        when: Callable[[T], bool] | None = None,
    ) -> None:
        check_callback("cleanup", cleanup)
        if when is not None:
            check_function("when", when)
        self._when = when
        self._k = k
        self._cleanup = cleanup
        self._memory = _SharedState(FinalizerState(checked_finalizer(name)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        """The name of the finalizer."""
        return self._memory.state.name

    async def ensure(self, obj: T | None) -> T | None:
        """Add the finalizer to the object; if the object is being deleted, clean up.

        No request is sent for an object that has the finalizer and is not being deleted. A running
        cleanup is finished even if the caller is cancelled.

        Args:
            obj: The object, which may come from a cache; None if it does not exist.

        Returns:
            The object with the finalizer, in its newest version if the finalizer was added; or the
            object as it is, if `when` returns false for it. None if the object is gone or being
            deleted.

        Raises:
            ValueError: The object has no uid, because it was not read from the server.
            Exception: The error that `cleanup` or `when` raised.
        """
        if obj is None:
            return None
        return obj if self._is_free(obj) else await self._run(obj, is_wanted=True)

    async def release(self, obj: T) -> None:
        """Clean up after an object that is not being deleted, and remove the finalizer.

        Use it for objects that the controller no longer manages, such as an object that has lost a
        label. Does nothing for an object without the finalizer.

        Args:
            obj: The object, which may come from a cache.

        Raises:
            ValueError: The object has no uid, because it was not read from the server.
            Exception: The error that `cleanup` raised.
        """
        await self._run(obj, is_wanted=False)

    def _is_free(self, obj: T) -> bool:
        """Return whether an object has no finalizer and needs none."""
        metadata: ObjectMeta = cast("Any", obj).metadata
        if metadata.deletion_timestamp is not None or self.name in metadata.finalizers:
            return False
        return self._when is not None and not self._when(obj)

    async def _run(self, obj: T, *, is_wanted: bool) -> T | None:
        if not uid_in(obj):
            raise ValueError(f"{obj!r} has no uid: it must be read from the server first")
        client = await self._k._client_of_object(obj, None)
        return await _Run(self._memory, self._cleanup, client, is_wanted=is_wanted).run(obj)


class _SharedState:
    """The state of a finalizer, shared by all workers."""

    def __init__(self, state: FinalizerState) -> None:
        self.state = state
        self._lock = short_lock()

    def next_step(self, obj: Object, *, is_live: bool, is_wanted: bool) -> FinalizerStep:
        """Return the next step for an object."""
        with self._lock:
            return self.state.next_step(obj, is_live=is_live, is_wanted=is_wanted)

    def remember(self, obj: Object, *, is_removed: bool) -> None:
        """Remember a cleanup or a removal."""
        with self._lock:
            self.state.remember(obj, is_removed=is_removed)


class _Run(Generic[T]):
    """One call of `ensure` or `release`: takes steps until the result is known."""

    def __init__(
        self,
        memory: _SharedState,
        cleanup: Function[[T], bool | None],
        client: Any,
        *,
        is_wanted: bool,
    ) -> None:
        self._memory = memory
        self._cleanup = cleanup
        self._client = client
        self._is_wanted = is_wanted
        self._retry = ConflictRetry(monotonic() + _CONFLICT_TIMEOUT_SECONDS)
        self._refused: Patch | None = None

    async def run(self, obj: T) -> T | None:
        """Take the steps. Returns the object to work on; None if the caller has no work."""
        current: T | None = obj
        is_live = False
        while current is not None:
            step = self._memory.next_step(current, is_live=is_live, is_wanted=self._is_wanted)
            if step is FinalizerStep.WORK:
                return current
            if step is FinalizerStep.OVER:
                return None
            if step is FinalizerStep.CLEAN_UP:
                # Pass a copy: the cleanup may change its object, but `current` is still needed.
                if (
                    await uncancelled(awaited("cleanup", self._cleanup(deep_copy(current))))
                    is False
                ):
                    return None
                self._memory.remember(current, is_removed=False)
            elif step is FinalizerStep.LOOK:
                current, is_live = await self._read(obj), True
            else:
                current, is_live = await self._write(step, current), True
        return None

    async def _write(self, step: FinalizerStep, current: T) -> T | None:
        """Add or remove the finalizer. Returns the changed object; None if it is gone."""
        name, client = self._memory.state.name, self._client
        patch = (
            add_patch(current, name) if step is FinalizerStep.ADD else remove_patch(current, name)
        )
        try:
            # `patch` refuses views. This patch has metadata only.
            changed: T = await client._patch_as(client._model, name_in(current), patch, {})
        except NotFound:
            self._forget(current)
            return None
        except (Conflict, Invalid) as error:  # Invalid: a test operation of the patch has failed
            await self._wait_for_retry(error, patch)
            return await self._read(current)
        if step is FinalizerStep.ADD:
            return changed
        self._forget(current)
        return None

    async def _wait_for_retry(self, error: Conflict | Invalid, patch: Patch) -> None:
        """Wait before the next attempt. Raises the error if retries cannot help."""
        delay = self._retry.after(error, monotonic())
        # The server refused the same patch before: no test has failed, but the server rejects the
        # object.
        if delay is None or patch == self._refused:
            raise annotate(error, self._retry.count, None)
        self._refused = patch
        await sleep(delay)

    async def _read(self, obj: T) -> T | None:
        """Read the object from the server; None if it is gone or was replaced."""
        try:
            live: T | None = await self._client.get(name_in(obj))
        except NotFound:
            live = None
        if live is not None and uid_in(live) == uid_in(obj):
            return live
        self._forget(obj)
        return None

    def _forget(self, obj: T) -> None:
        """Remember that the object does not have the finalizer any more."""
        self._memory.remember(obj, is_removed=True)

"""Waits for the objects of a manifest set."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from .._manifests.manifest_documents import ManifestError
from .._manifests.set_answers import is_final
from .._manifests.set_results import ObjectFailure
from .._models.unstructured import Unstructured, UnstructuredList
from ..errors import ClientError, NotFound, WaitFailed
from .wait import AsyncWait, wait_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._http.resource import Resource
    from .._manifests.apply_plan import ObjectKey
    from .._manifests.scheme import Scheme
    from ._primitives import Function
    from .rest import AsyncRest

_log = logging.getLogger("clientgen.manifests")


class Progress:
    """Reports the progress of waits to the log, and to the caller's function."""

    def __init__(self, on_progress: Callable[[str], object] | None) -> None:
        self._on_progress = on_progress

    @property
    def is_used(self) -> bool:
        """Whether the progress is logged or passed to a function."""
        return self._on_progress is not None or _log.isEnabledFor(logging.INFO)

    def __call__(self, state: str) -> None:
        """Report a state."""
        _log.info("%s", state)
        if self._on_progress is not None:
            self._on_progress(state)


class AsyncSetWait:
    """Waits for objects, one after another, with one deadline for all objects.

    Args:
        rest: the client of the server.
        scheme: the classes of the objects for conditions.
        until: the condition that has to become true.
        fail: the condition that ends the wait with an error.
        timeout: the seconds for all objects; None for no limit.
        progress: called with the state of the awaited object whenever it has changed.
        find_again: finds an object again if the server does not know its resource; returns None if
            the object has not moved.
    """

    def __init__(
        self,
        rest: AsyncRest,
        scheme: Scheme,
        until: Callable[[Any], object],
        fail: Callable[[Any], object] | None,
        timeout: float | None,
        *,
        progress: Progress,
        find_again: Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None]
        | None = None,
    ) -> None:
        self._rest = rest
        self._scheme = scheme
        self._until = until
        self._fail = fail
        self._timeout = timeout
        self._progress = progress
        self._find_again = find_again
        self._keys: dict[ObjectKey, ObjectKey] = {}
        self._end = None if timeout is None else rest.clock.monotonic() + timeout
        self._has_failed = False
        self.failures: list[ObjectFailure] = []

    async def each(self, objects: Iterable[tuple[str, Resource, ObjectKey]]) -> None:
        """Wait for objects, each with its place in the manifests.

        If an object has failed or the server does not respond, the other objects are only checked
        once, to report all failures. If the server refuses a request, only the object of the
        request has failed.
        """
        for where, resource, planned in objects:
            try:
                await self._wait_for_one(resource, planned)
            except (ClientError, ManifestError) as error:
                key = self._keys.get(planned, planned)
                self.failures.append(ObjectFailure(where, key, error))
                self._progress(str(ObjectFailure("", key, error)))
                self._has_failed |= isinstance(error, WaitFailed) or is_final(error)

    async def _wait_for_one(self, resource: Resource, key: ObjectKey) -> None:
        """Wait for an object, and again if its kind has moved to another resource."""
        wait = self._make_wait(resource, key)
        try:
            await wait.run()
        except NotFound:
            moved = await self._moved(wait, key)
            if moved is None:
                raise
        else:
            moved = await self._moved(wait, key)
        if moved is not None:
            _, self._keys[key] = moved
            await self._make_wait(*moved).run()

    async def _moved(
        self, wait: AsyncWait[Any], key: ObjectKey
    ) -> tuple[Resource, ObjectKey] | None:
        if self._find_again is None or not wait.is_unknown:
            return None
        remaining = self._remaining()
        return await self._find_again(
            key, self._rest.deadline({"timeout": remaining} if remaining else {})
        )

    def _make_wait(self, resource: Resource, key: ObjectKey) -> AsyncWait[Any]:
        model, list_model = self._classes(resource)
        name = f"{key.namespace}/{key.name}" if key.namespace else key.name

        def report(state: str) -> None:
            self._progress(f"{key}: {state}")

        return AsyncWait(
            self._rest,
            resource.collection_path(key.namespace or None),
            model,
            list_model,
            wait_target(resource.kind, name, self._until, self._fail),
            options={"field_selector": {"metadata.name": key.name}},
            timeout=self._remaining(),
            whole=self._timeout,
            on_progress=report if self._progress.is_used else None,
        )

    def _remaining(self) -> float | None:
        if self._has_failed:
            return 0.0
        return None if self._end is None else max(0.0, self._end - self._rest.clock.monotonic())

    def _classes(self, resource: Resource) -> tuple[type[Any], type[Any]]:
        try:
            model = self._scheme.model(resource.gvk)
        except LookupError:
            return Unstructured, UnstructuredList
        return model, self._scheme.list_model(model)

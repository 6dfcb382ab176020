# Derived from _async/set_wait.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Waits for the objects of a manifest set."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from .._manifests.manifest_documents import ManifestError
from .._manifests.set_answers import is_final
from .._manifests.set_results import ObjectFailure
from .._models.unstructured import Unstructured, UnstructuredList
from ..errors import ClientError, NotFound, WaitFailed
from .wait import Wait, wait_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._http.resource import Resource
    from .._manifests.apply_plan import ObjectKey
    from .._manifests.scheme import Scheme
    from ._primitives import Function
    from .rest import Rest

__all__ = ["Progress", "SetWait"]

_log = logging.getLogger("clientgen.manifests")


class Progress:
    """Tells the progress of waits: to the log, and to the caller if that is wanted."""

    def __init__(self, on_progress: Callable[[str], object] | None) -> None:
        self._on_progress = on_progress

    @property
    def is_heard(self) -> bool:
        """Whether there is anybody to tell."""
        return self._on_progress is not None or _log.isEnabledFor(logging.INFO)

    def __call__(self, state: str) -> None:
        """Tell a state."""
        _log.info("%s", state)
        if self._on_progress is not None:
            self._on_progress(state)


class SetWait:
    """Waits for objects, one after the other, with one deadline for all.

    Args:
        rest: the client of the server.
        scheme: the classes that conditions see.
        until: what has to become true.
        fail: what ends the wait with an error.
        timeout: the seconds for all objects; None for no limit.
        progress: is told what is waited for, and its state whenever that has changed.
        anew: says where an object is if the server does not know its resource; None if there.
    """

    def __init__(
        self,
        rest: Rest,
        scheme: Scheme,
        until: Callable[[Any], object],
        fail: Callable[[Any], object] | None,
        timeout: float | None,
        *,
        progress: Progress,
        anew: Function[[ObjectKey, float | None], tuple[Resource, ObjectKey] | None] | None = None,
    ) -> None:
        self._rest = rest
        self._scheme = scheme
        self._until = until
        self._fail = fail
        self._timeout = timeout
        self._progress = progress
        self._anew = anew
        self._keys: dict[ObjectKey, ObjectKey] = {}
        self._end = None if timeout is None else rest.clock.monotonic() + timeout
        self._is_lost = False
        self.failures: list[ObjectFailure] = []

    def each(self, objects: Iterable[tuple[str, Resource, ObjectKey]]) -> None:
        """Wait for objects, each with its place in the manifests.

        When one can no longer become so, or nobody answers, the others are looked at once more, so
        that all failures are told. A request that the server refuses is the error of one object.
        """
        for where, resource, planned in objects:
            try:
                self._wait_there_or_elsewhere(resource, planned)
            except (ClientError, ManifestError) as error:
                key = self._keys.get(planned, planned)
                self.failures.append(ObjectFailure(where, key, error))
                self._progress(str(ObjectFailure("", key, error)))
                self._is_lost |= isinstance(error, WaitFailed) or is_final(error)

    def _wait_there_or_elsewhere(self, resource: Resource, key: ObjectKey) -> None:
        """Wait for an object, and once more if it is elsewhere than was planned."""
        wait = self._made(resource, key)
        try:
            wait.run()
        except NotFound:
            moved = self._moved(wait, key)
            if moved is None:
                raise
        else:
            moved = self._moved(wait, key)
        if moved is not None:
            _, self._keys[key] = moved
            self._made(*moved).run()

    def _moved(self, wait: Wait[Any], key: ObjectKey) -> tuple[Resource, ObjectKey] | None:
        if self._anew is None or not wait.is_unknown:
            return None
        left = self._left()
        return self._anew(key, self._rest.deadline({"timeout": left} if left else {}))

    def _made(self, resource: Resource, key: ObjectKey) -> Wait[Any]:
        model, list_model = self._classes(resource)
        name = f"{key.namespace}/{key.name}" if key.namespace else key.name

        def tell(state: str) -> None:
            self._progress(f"{key}: {state}")

        return Wait(
            self._rest,
            resource.collection_path(key.namespace or None),
            model,
            list_model,
            wait_target(resource.kind, name, self._until, self._fail),
            options={"field_selector": {"metadata.name": key.name}},
            timeout=self._left(),
            whole=self._timeout,
            on_progress=tell if self._progress.is_heard else None,
        )

    def _left(self) -> float | None:
        if self._is_lost:
            return 0.0
        return None if self._end is None else max(0.0, self._end - self._rest.clock.monotonic())

    def _classes(self, resource: Resource) -> tuple[type[Any], type[Any]]:
        try:
            model = self._scheme.model(resource.gvk)
        except LookupError:
            return Unstructured, UnstructuredList
        return model, self._scheme.list_model(model)

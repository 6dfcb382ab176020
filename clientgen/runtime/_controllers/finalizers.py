"""Decisions of a finalizer: what has to be done next for an object that has it, or should have it.

No cleanup is lost: an object gets the finalizer before anybody works for it, and keeps it until its
cleanup has succeeded. No cleanup is repeated after the finalizer was removed: cleanups begin with a
look at the server, because caches may be stale, and uids of objects that are done are remembered.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from .._http.patches import JsonPatch, MergePatch, json_pointer

if TYPE_CHECKING:
    from .._models.meta_v1 import ObjectMeta
    from .._models.unstructured import Object

__all__ = ["FinalizerState", "FinalizerStep", "addition", "checked_finalizer", "removal"]

# metav1: ValidateFinalizerName. A name without a domain is one of Kubernetes' own.
_QUALIFIED: Final = re.compile(
    r"(?=[^/]{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
    r"/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
).fullmatch
_MOST: Final = 10_000


class FinalizerStep(Enum):
    """What to do next."""

    WORK = "work"
    """The object has the finalizer and is not being deleted."""
    ADD = "add"
    LOOK = "look"
    """Read the object from the server: the cache may be stale."""
    CLEAN_UP = "clean up"
    REMOVE = "remove"
    OVER = "over"
    """Nothing is left to do: it is gone, or being deleted without the finalizer."""


class FinalizerState:
    """One finalizer, and what this process knows of the objects that it cleaned up after."""

    def __init__(self, name: str) -> None:
        self.name = name
        # By uid: whether the finalizer was removed, too. A uid never comes back, but a stale cache
        # may show an old state of the object for a while.
        self._cleaned: dict[str, bool] = {}

    def next_step(self, obj: Object, *, is_live: bool, is_wanted: bool = True) -> FinalizerStep:
        """Decide what to do.

        Args:
            obj: a state of the object.
            is_live: whether it was read from the server just now.
            is_wanted: whether the object is to have the finalizer while it is not being deleted.
        """
        metadata = _metadata(obj)
        has_it = self.name in metadata.finalizers
        is_removed = self._cleaned.get(metadata.uid)
        is_ending = metadata.deletion_timestamp is not None or not is_wanted
        if is_removed or (is_ending and not has_it):
            return FinalizerStep.OVER
        if is_ending:
            if is_removed is not None:
                return FinalizerStep.REMOVE
            return FinalizerStep.CLEAN_UP if is_live else FinalizerStep.LOOK
        if is_removed is not None and not is_live:
            return FinalizerStep.LOOK
        # It was released, but not quite, and is wanted again: its next cleanup counts.
        self._cleaned.pop(metadata.uid, None)
        return FinalizerStep.WORK if has_it else FinalizerStep.ADD

    def remember(self, obj: Object, *, is_removed: bool) -> None:
        """Remember that the cleanup of an object succeeded, or that the finalizer is removed.

        An object that was only released may get the finalizer again, so it is forgotten.
        """
        metadata = _metadata(obj)
        self._cleaned.pop(metadata.uid, None)
        if is_removed and metadata.deletion_timestamp is None:
            return
        self._cleaned[metadata.uid] = is_removed
        if len(self._cleaned) > _MOST:
            self._cleaned.pop(next(iter(self._cleaned)))


def _metadata(obj: Any) -> ObjectMeta:
    return obj.metadata  # type: ignore[no-any-return]


def addition(obj: Object, name: str) -> MergePatch:
    """Add a finalizer, unless the object has changed since.

    The list is replaced as a whole, so finalizers of others are safe only with the version.
    """
    metadata = _metadata(obj)
    body = {
        "uid": metadata.uid,
        "resourceVersion": metadata.resource_version,
        "finalizers": [*metadata.finalizers, name],
    }
    return MergePatch({"metadata": body})


def removal(obj: Object, name: str) -> JsonPatch:
    """Remove a finalizer. Other changes of the object do no harm, so no version is tested."""
    metadata = _metadata(obj)
    operations: list[dict[str, Any]] = [
        {"op": "test", "path": "/metadata/uid", "value": metadata.uid}
    ]
    # All of them, if it is there twice. From the end, so that indices stay right.
    for index in reversed(range(len(metadata.finalizers))):
        if metadata.finalizers[index] == name:
            place = json_pointer("metadata", "finalizers", index)
            operations.append({"op": "test", "path": place, "value": name})
            operations.append({"op": "remove", "path": place})
    return JsonPatch(operations)


def checked_finalizer(name: Any) -> str:
    """Give the name of a finalizer, as long as it is one.

    Raises:
        ValueError: it is no name with a domain.
    """
    if not isinstance(name, str) or not _QUALIFIED(name):
        raise ValueError(
            f"{name!r} is no name of a finalizer: it needs a domain of yours and a name,"
            ' such as "stable.example.com/backups"'
        )
    return name

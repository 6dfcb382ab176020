"""The rules of a finalizer: the next step for an object.

No cleanup is lost: an object gets the finalizer before any work is done for it, and keeps the
finalizer until its cleanup has succeeded. No cleanup is repeated after the finalizer was removed:
caches may be stale, so a cleanup begins with reading the object from the server, and the uids of
finished objects are remembered.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from .._http.patches import JsonPatch, MergePatch, json_pointer

if TYPE_CHECKING:
    from .._models.meta_v1 import ObjectMeta
    from .._models.unstructured import Object

# metav1: ValidateFinalizerName. Names without a domain are reserved for Kubernetes.
_match_qualified_name: Final = re.compile(
    r"(?=[^/]{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
    r"/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
).fullmatch
_MAX_REMEMBERED: Final = 10_000


class FinalizerStep(Enum):
    """The next step for an object."""

    WORK = "work"
    """The object has the finalizer and is not being deleted."""
    ADD = "add"
    LOOK = "look"
    """Read the object from the server: the cache may be stale."""
    CLEAN_UP = "clean up"
    REMOVE = "remove"
    OVER = "over"
    """Nothing to do: the object is gone, or is being deleted without the finalizer."""


class FinalizerState:
    """A finalizer, and the objects that this process has cleaned up."""

    def __init__(self, name: str) -> None:
        self.name = name
        # The uid of each cleaned object, and whether its finalizer was removed, too. A stale cache
        # may show an old state of the object for a while. Uids are never reused.
        self._cleaned: dict[str, bool] = {}

    def next_step(self, obj: Object, *, is_live: bool, is_wanted: bool = True) -> FinalizerStep:
        """Return the next step for an object.

        Args:
            obj: A state of the object.
            is_live: Whether the state was just read from the server.
            is_wanted: Whether the object should have the finalizer while it is not being deleted.
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
        # `release` was not finished, but the object is wanted again: a later cleanup must run
        # again.
        self._cleaned.pop(metadata.uid, None)
        return FinalizerStep.WORK if has_it else FinalizerStep.ADD

    def remember(self, obj: Object, *, is_removed: bool) -> None:
        """Remember that the cleanup of an object has succeeded, or that the finalizer was removed.

        An object that was released but not deleted is forgotten, because it may get the finalizer
        again.
        """
        metadata = _metadata(obj)
        self._cleaned.pop(metadata.uid, None)
        if is_removed and metadata.deletion_timestamp is None:
            return
        self._cleaned[metadata.uid] = is_removed
        if len(self._cleaned) > _MAX_REMEMBERED:
            self._cleaned.pop(next(iter(self._cleaned)))


def _metadata(obj: Any) -> ObjectMeta:
    return obj.metadata  # type: ignore[no-any-return]


def add_patch(obj: Object, name: str) -> MergePatch:
    """Return the patch that adds a finalizer to this version of the object.

    A merge patch replaces the whole list. The resource version protects other finalizers.
    """
    metadata = _metadata(obj)
    body = {
        "uid": metadata.uid,
        "resourceVersion": metadata.resource_version,
        "finalizers": [*metadata.finalizers, name],
    }
    return MergePatch({"metadata": body})


def remove_patch(obj: Object, name: str) -> JsonPatch:
    """Return the patch that removes a finalizer from any version of the object."""
    metadata = _metadata(obj)
    operations: list[dict[str, Any]] = [
        {"op": "test", "path": "/metadata/uid", "value": metadata.uid}
    ]
    # Remove all occurrences, from the end, so that earlier indices stay valid.
    for index in reversed(range(len(metadata.finalizers))):
        if metadata.finalizers[index] == name:
            place = json_pointer("metadata", "finalizers", index)
            operations.append({"op": "test", "path": place, "value": name})
            operations.append({"op": "remove", "path": place})
    return JsonPatch(operations)


def checked_finalizer(name: Any) -> str:
    """Check the name of a finalizer, and return it.

    Raises:
        ValueError: The name is not a domain, a slash and a name.
    """
    if not isinstance(name, str) or not _match_qualified_name(name):
        raise ValueError(
            f"{name!r} is not a finalizer name; write your domain and a name,"
            ' such as "stable.example.com/backups"'
        )
    return name

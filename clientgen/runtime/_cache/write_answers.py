"""Reads the answers to writes for the cache of an informer.

The answer is decoded anew, in the form that the cache keeps: the program owns the object that it
gets and may change it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList, Status
from .._models.unstructured import Object, Unstructured
from .indexer import meta_namespace_key
from .own_writes import version_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.codec import Codec
    from .._http.request import HttpResponse
    from .._http.resource import Resource
    from .._models.meta_v1 import ObjectMeta
    from .local_selection import LocalSelection
    from .own_writes import OwnWrites, SentWrite
    from .storage import Storage
    from .write_requests import WriteTarget

__all__ = ["WriteAnswers"]

T = TypeVar("T", bound=Object)

_PARTIAL = "PartialObjectMetadata"
_CREATED = 201
# The kinds of Kubernetes whose Scale is `spec.replicas`. Definitions of custom resources name any
# field.
_SCALED = frozenset(
    {
        ("apps", "deployments"),
        ("apps", "replicasets"),
        ("apps", "statefulsets"),
        ("", "replicationcontrollers"),
    }
)
# Deleting a collection of these does not remove all of its objects at once: Pods have a grace
# period, the others get finalizers.
_KEPT = frozenset(
    {
        ("", "pods"),
        ("", "namespaces"),
        ("", "replicationcontrollers"),
        ("batch", "jobs"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
    }
)


class WriteAnswers(Generic[T]):
    """Puts what was written into the cache of one informer.

    Args:
        writes: The store of the informer.
        resource: Its resource.
        storage: The form in which it keeps objects.
        selection: Its selectors.
        transform: Its transform, which returns None if it fails.
    """

    def __init__(
        self,
        writes: OwnWrites[Any],
        resource: Resource,
        storage: Storage[T],
        *,
        selection: LocalSelection,
        transform: Callable[[T], T | None],
    ) -> None:
        self._writes = writes
        self._resource = resource
        self._storage = storage
        self._selection = selection
        self._transform = transform

    def read(
        self, sent: SentWrite, target: WriteTarget, response: HttpResponse, codec: Codec
    ) -> Callable[[float], None] | None:
        """Decode an answer.

        Returns:
            A function of the time that shows it, to be called while the cache is locked.
            None if the answer tells nothing of the object.
        """
        codec = codec.for_answer(response.headers)
        kind = codec.kind_of(response.body) if response.body else ""
        if target.is_delete and (kind == "Status" or not target.name):
            return self._deleted(sent, target, response.body, codec)
        if kind == "Scale":
            return self._scaled(codec.decode(response.body, Unstructured))
        if kind not in {self._resource.kind, _PARTIAL}:
            return None  # of another kind, such as the token of a ServiceAccount
        is_part = kind == _PARTIAL or target.version != self._resource.version
        if is_part and not self._storage.is_metadata_only:
            return self._described(sent, target, response.body, codec)
        return self._written(sent, target, response, codec)

    def _written(
        self, sent: SentWrite, target: WriteTarget, response: HttpResponse, codec: Codec
    ) -> Callable[[float], None] | None:
        """Show a whole object."""
        item = self._storage.read_object(response.body, codec)
        if self._is_gone(item, target):
            return self._gone(sent, item)
        selected = self._selection.selects(item)
        entry = self._storage.prepare(item, self._transform)
        if entry is None:
            return None
        is_create = target.is_create and response.status == _CREATED
        return lambda now: self._writes.wrote(
            sent, entry, now, selected=selected, is_create=is_create
        )

    # ---- deletions ----------------------------------------------------------------------------

    def _is_gone(self, obj: Any, target: WriteTarget) -> bool:
        """Tell whether the object in an answer does not exist any more.

        A delete answers with an object that has no deletionTimestamp if it was removed at once. An
        object that is being deleted is removed by the write that takes its last finalizer
        (k8s.io/apiserver: registry/generic/registry/store.go). A Namespace has finalizers in its
        spec, too: it is left to the watch.
        """
        metadata: ObjectMeta = obj.metadata
        if not metadata.deletion_timestamp:
            return target.is_delete
        is_kept = bool(metadata.finalizers or metadata.deletion_grace_period_seconds)
        return not is_kept and (target.group, target.plural) != ("", "namespaces")

    def _deleted(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Hide what a delete removed that is not answered by an object."""
        if not target.name:
            return self._emptied(sent, target, body, codec)
        status = codec.decode(body, Status)
        if status.status != "Success":
            return None
        uid = (status.details.uid if status.details else None) or ""
        key, namespace = target.key, target.namespace
        return lambda now: self._writes.deleted(sent, key, namespace, uid, now)

    def _gone(self, sent: SentWrite, obj: Any) -> Callable[[float], None]:
        metadata: ObjectMeta = obj.metadata
        key, namespace, uid = meta_namespace_key(obj), metadata.namespace, metadata.uid
        version = version_number(metadata.resource_version)
        return lambda now: self._writes.deleted(sent, key, namespace, uid, now, version=version)

    def _emptied(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Hide the objects of a deleted collection. The answer has them as they were before."""
        resource = self._resource
        is_list = codec.kind_of(body).endswith("List")
        if not is_list or not target.is_plain or (resource.group, resource.plural) in _KEPT:
            return None
        listed = codec.decode_list(body, PartialObjectMetadataList, usable=True)
        gone = [self._gone(sent, item) for item in listed if not item.metadata.finalizers]

        def hide(now: float) -> None:
            for each in gone:
                each(now)

        return hide if gone else None

    # ---- parts of objects ---------------------------------------------------------------------

    def _described(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Show the metadata of an object, from an answer of another version or without the rest."""
        partial = codec.decode(body, PartialObjectMetadata, usable=True)
        if self._is_gone(partial, target):
            return self._gone(sent, partial)
        if self._selection.selects(partial) is False:
            # The object is only looked at for what its metadata says, and not stored.
            absent: Any = partial
            return lambda now: self._writes.wrote(sent, absent, now, selected=False)
        if target.version != self._resource.version:
            return None  # what was written is most likely not in the metadata
        metadata = codec.decode(body, Unstructured)["metadata"]
        return self._part(partial, lambda obj: self._storage.with_metadata(obj, metadata))

    def _scaled(self, scale: Unstructured) -> Callable[[float], None] | None:
        """Show the number of replicas that a Scale has."""
        spec: Any = scale.get("spec")
        is_object = isinstance(spec, dict)
        replicas = cast("dict[str, Any]", spec).get("replicas", 0) if is_object else None
        is_known = (self._resource.group, self._resource.plural) in _SCALED
        if not is_known or self._storage.is_metadata_only or not isinstance(replicas, int):
            return None
        return self._part(scale, lambda obj: self._storage.with_replicas(obj, replicas))

    def _part(self, part: Any, change: Callable[[T], T]) -> Callable[[float], None]:
        """Show a part of an object. `change` returns a copy of the object with it."""
        metadata: ObjectMeta = part.metadata
        key, uid, version = meta_namespace_key(part), metadata.uid, metadata.resource_version
        storage = self._storage

        def changed(entry: Any) -> Any:
            obj = self._transform(change(storage.decode(entry)))
            return entry if obj is None else storage.encode(obj)

        return lambda now: self._writes.wrote_part(key, uid, version, changed, now)

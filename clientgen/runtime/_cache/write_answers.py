"""Reads the responses to writes for the cache of an informer.

The response is decoded a second time, in the form that the cache keeps: the caller of the write may
change the object that it gets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList, Status
from .._models.unstructured import Object, Unstructured
from ..errors import CacheCorrupted
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

T = TypeVar("T", bound=Object)

_PARTIAL = "PartialObjectMetadata"
_CREATED = 201
# The resources of Kubernetes whose Scale is `spec.replicas`. For custom resources, the definition
# chooses the field.
_SCALED_BY_REPLICAS = frozenset(
    {
        ("apps", "deployments"),
        ("apps", "replicasets"),
        ("apps", "statefulsets"),
        ("", "replicationcontrollers"),
    }
)
# Deleting a collection of these resources does not remove all of its objects at once: Pods have a
# grace period, the others get finalizers.
_DELETED_LATER = frozenset(
    {
        ("", "pods"),
        ("", "namespaces"),
        ("", "replicationcontrollers"),
        ("batch", "jobs"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
    }
)


class WriteAnswers(Generic[T]):
    """Shows written objects in the cache of one informer.

    Args:
        writes: The store of the informer.
        resource: The resource that the informer watches.
        storage: The form in which the informer keeps objects.
        selection: Returns the selectors of the informer for a namespace.
        transform: The transform of the informer. It returns None if it fails.
    """

    def __init__(
        self,
        writes: OwnWrites[Any],
        resource: Resource,
        storage: Storage[T],
        *,
        selection: Callable[[str], LocalSelection],
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
        """Decode the response to a write.

        Returns:
            A function of the time that shows the object. Call it with the lock of the cache. None
            if the response does not contain the written object.
        """
        codec = codec.for_answer(response.headers)
        kind = codec.kind_of(response.body) if response.body else ""
        if target.is_delete and (kind == "Status" or not target.name):
            return self._hide_deleted(sent, target, response.body, codec)
        if kind == "Scale":
            return self._show_scale(codec.decode(response.body, Unstructured))
        if kind not in {self._resource.kind, _PARTIAL}:
            return None  # an object of another kind, such as the token of a ServiceAccount
        is_part = kind == _PARTIAL or target.version != self._resource.version
        if is_part and not self._storage.is_metadata_only:
            return self._show_metadata(sent, target, response.body, codec)
        return self._show_object(sent, target, response, codec)

    def _show_object(
        self, sent: SentWrite, target: WriteTarget, response: HttpResponse, codec: Codec
    ) -> Callable[[float], None] | None:
        """Show a whole object."""
        item = self._storage.read_object(response.body, codec)
        if self._is_gone(item, target):
            return self._hide_object(sent, item)
        selected = self._selects(item)
        entry = self._storage.prepare(item, self._transform)
        if entry is None:
            return None
        is_create = target.is_create and response.status == _CREATED
        return lambda now: self._writes.show_written(
            sent, entry, now, selected=selected, is_create=is_create
        )

    def _selects(self, obj: Any) -> bool | None:
        """Return whether the informer selects an object; None if that is unknown."""
        return self._selection(obj.metadata.namespace).selects(obj)

    # ---- deletions ----------------------------------------------------------------------------

    def _is_gone(self, obj: Any, target: WriteTarget) -> bool:
        """Return whether the object in a response does not exist any more.

        If a delete removes the object at once, the object in the response has no deletionTimestamp.
        An object that is being deleted is removed by the write that removes its last finalizer
        (k8s.io/apiserver: registry/generic/registry/store.go). A Namespace also has finalizers in
        its spec, so the cache shows its deletion when the watch delivers it.
        """
        metadata: ObjectMeta = obj.metadata
        if not metadata.deletion_timestamp:
            return target.is_delete
        is_kept = bool(metadata.finalizers or metadata.deletion_grace_period_seconds)
        return not is_kept and (target.group, target.plural) != ("", "namespaces")

    def _hide_deleted(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Hide a deleted object or collection. The response is a Status or a list."""
        if not target.name:
            return self._hide_collection(sent, target, body, codec)
        status = codec.decode(body, Status)
        if status.status != "Success":
            return None
        uid = (status.details.uid if status.details else None) or ""
        key, namespace = target.key, target.namespace
        return lambda now: self._writes.hide_deleted(sent, key, namespace, uid, now)

    def _hide_object(self, sent: SentWrite, obj: Any) -> Callable[[float], None]:
        metadata: ObjectMeta = obj.metadata
        key, namespace, uid = meta_namespace_key(obj), metadata.namespace, metadata.uid
        version = version_number(metadata.resource_version)
        return lambda now: self._writes.hide_deleted(
            sent, key, namespace, uid, now, version=version
        )

    def _hide_collection(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Hide the objects of a deleted collection. The response has the deleted objects."""
        key = (self._resource.group, self._resource.plural)
        is_list = codec.kind_of(body).endswith("List")
        if not is_list or not target.is_plain or key in _DELETED_LATER:
            return None
        listed = codec.decode_list(body, PartialObjectMetadataList, usable=True)
        hides = [self._hide_object(sent, item) for item in listed if not item.metadata.finalizers]

        def hide_all(now: float) -> None:
            for hide in hides:
                hide(now)

        return hide_all if hides else None

    # ---- parts of objects ---------------------------------------------------------------------

    def _show_metadata(
        self, sent: SentWrite, target: WriteTarget, body: bytes, codec: Codec
    ) -> Callable[[float], None] | None:
        """Show the metadata in a response that has metadata only, or another API version."""
        partial = codec.decode(body, PartialObjectMetadata, usable=True)
        if self._is_gone(partial, target):
            return self._hide_object(sent, partial)
        if self._selects(partial) is False:
            # An object that is not selected is not stored: `show_written` reads only its metadata.
            unselected: Any = partial
            return lambda now: self._writes.show_written(sent, unselected, now, selected=False)
        if target.version != self._resource.version:
            return None  # the write has probably changed more than the metadata
        metadata = codec.decode(body, Unstructured)["metadata"]
        return self._show_part(partial, lambda obj: self._storage.with_metadata(obj, metadata))

    def _show_scale(self, scale: Unstructured) -> Callable[[float], None] | None:
        """Show the number of replicas in a Scale."""
        spec: Any = scale.get("spec")
        is_object = isinstance(spec, dict)
        replicas = cast("dict[str, Any]", spec).get("replicas", 0) if is_object else None
        is_known = (self._resource.group, self._resource.plural) in _SCALED_BY_REPLICAS
        if not is_known or self._storage.is_metadata_only or not isinstance(replicas, int):
            return None
        return self._show_part(scale, lambda obj: self._storage.with_replicas(obj, replicas))

    def _show_part(self, part: Any, change: Callable[[T], T]) -> Callable[[float], None]:
        """Show a part of an object. `change` returns a copy of the object with the part."""
        metadata: ObjectMeta = part.metadata
        key, uid, version = meta_namespace_key(part), metadata.uid, metadata.resource_version
        storage = self._storage

        def changed(entry: Any) -> Any:
            try:
                obj = self._transform(change(storage.decode(entry)))
            except CacheCorrupted:  # it is read again
                return entry
            return entry if obj is None else storage.encode(obj)

        return lambda now: self._writes.show_written_part(key, uid, version, changed, now)

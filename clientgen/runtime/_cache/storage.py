"""The forms in which caches keep objects: how objects are requested, decoded, stored and returned.

An object has three forms:

- an **item** is decoded from a response of the server;
- an **entry** is kept in the store;
- an **object** is passed to listers, handlers, filters, transforms and index functions.

Whole objects, metadata and objects without a class are kept as they were decoded: the three forms
are one Python object, and need no conversion. A subclass of `Storage` keeps another form.

client-go has parts of this: cache.TransformFunc, metadatainformer, dynamicinformer.
controller-runtime has cache.ByObject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._http.response import read_list
from .._models.base import assign
from .._models.decoder import from_dict
from .._models.deep_copy import deep_copy
from .._models.meta_v1 import PartialObjectMetadata
from .._models.model_info import is_metadata_view, is_path_view
from .._models.tables import Table
from .._models.unstructured import Object, Unstructured, list_class
from ..errors import CacheCorrupted
from .deltas import Added, Deleted, Recovered, Updated
from .indexer import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .._models.meta_v1 import ModelList, ObjectMeta
    from .._models.model_codec import WatchEvent
    from .deltas import Notification
    from .mutation_detector import MutationDetector

T = TypeVar("T", bound=Object)


class Storage(Generic[T]):
    """The form in which an informer requests, keeps and returns objects.

    This class keeps objects of a model class. A subclass that keeps another form sets
    `keeps_objects` to False, and overrides `encode` and `decode`. It also overrides `prepare` if
    its items are not objects.

    The cache reads only `entry.metadata` of an entry: its `namespace`, `name`, `uid`,
    `resource_version` and `labels`. These must be equal to those of the object. The metadata of an
    item must be complete.

    Args:
        model: The class of items. It decides which representation a watch requests.
        list_model: The class of lists of items.

    Attributes:
        keeps_objects: Whether an entry and its object are the same Python object.
        is_compressible: Whether a cache may keep these objects compressed.
        is_metadata_only: Whether only the metadata of objects is kept.
    """

    keeps_objects = True
    is_compressible = True
    is_metadata_only = False

    def __init__(self, model: type[T], list_model: type[ModelList[T]]) -> None:
        self.model = model
        self.list_model = list_model

    def connect(
        self, detector: MutationDetector[Any], read_again: Callable[[Any, Exception], object]
    ) -> None:
        """Note the informer that uses this storage. A storage of whole objects needs nothing of it.

        Args:
            detector: Finds objects that readers have changed, if readers share decoded objects.
            read_again: Called with a corrupted entry and the error, to read the object again.
        """

    # ---- from the server to items -------------------------------------------------------------

    def read_page(
        self, response: HttpResponse, request: HttpRequest, codec: Codec
    ) -> ModelList[Any]:
        """Decode a list, or a page of a list, of items.

        Raises:
            ApiError, ResponseBroken, DecodeError: as `read_list`.
        """
        return read_list(response, self.list_model, request, codec)

    def read_events(self, block: bytes, codec: Codec) -> list[WatchEvent[Any]]:
        """Decode the events of a block of a watch. The object of an event is an item.

        Raises:
            DecodeError: A frame is not an event, or its object is not usable.
        """
        return codec.decode_events(block, self.model)

    def read_object(self, body: bytes, codec: Codec) -> Any:
        """Decode the response to a write into an item.

        Raises:
            DecodeError: The body is not an object, or the object is not usable.
        """
        return codec.decode(body, self.model, usable=True)

    # ---- from items to entries to objects -----------------------------------------------------

    def prepare(self, item: Any, transform: Callable[[T], T | None] | None) -> Any:
        """Return the entry of an item; None if the transform leaves the object out."""
        obj = item if transform is None else transform(item)
        return None if obj is None else self.encode(obj)

    def encode(self, obj: T) -> Any:
        """Return the entry of an object."""
        return obj

    def decode(self, entry: Any) -> T:
        """Return the object of an entry."""
        return cast("T", entry)

    def remains(self, entry: Any) -> T:
        """Return what is known of the object of a corrupted entry."""
        return self.decode(entry)

    def decode_notification(
        self, notification: Notification[Any]
    ) -> Notification[T] | Recovered[T] | None:
        """Convert a notification about entries to a notification about objects.

        Returns None if the new state is corrupted: the object is read again, and is told then.

        Raises:
            DecodeError: The server sent an object that cannot be decoded.
        """
        match notification:
            case Updated(old, new):
                obj = self._decoded(new)
                if obj is None or old is new:
                    return None if obj is None else Updated(obj, obj)
                before = self._decoded(old)
                return Recovered(obj) if before is None else Updated(before, obj)
            case Added(entry, is_initial):
                obj = self._decoded(entry)
                return None if obj is None else Added(obj, is_initial)
            case Deleted(entry, known):
                obj = self._decoded(entry)
                obj = self.remains(entry) if obj is None else obj
                return Deleted(obj, known, meta_namespace_key(entry))

    def _decoded(self, entry: Any) -> T | None:
        try:
            return self.decode(entry)
        except CacheCorrupted:  # it is logged, and the object is read again
            return None

    @property
    def decoder(self) -> Callable[[Any], T] | None:
        """`decode`; None if entries are objects, so that reads need no call for each entry."""
        return None if self.keeps_objects else self.decode

    # ---- parts of objects ---------------------------------------------------------------------

    def with_metadata(self, obj: T, metadata: dict[str, Any]) -> T:
        """Copy an object with other metadata. The copy keeps the resource version."""
        copied: Any = deep_copy(obj)
        kept: ObjectMeta = copied.metadata
        stated = _at_version(metadata, kept.resource_version)
        assign(copied, "metadata", from_dict(type(kept), stated))
        return cast("T", copied)

    def with_replicas(self, obj: T, replicas: int) -> T:
        """Copy an object with another `spec.replicas`. The copy keeps the resource version."""
        copied: Any = deep_copy(obj)
        if "replicas" in getattr(copied, "spec", copied).__struct_fields__:  # a view may lack it
            assign(copied.spec, "replicas", replicas)
        return cast("T", copied)


class MetadataStorage(Storage[T]):
    """Requests and keeps only the metadata of objects."""

    is_compressible = False  # metadata is small
    is_metadata_only = True


class UnstructuredStorage(Storage[Unstructured]):
    """Keeps objects without a class."""

    def with_metadata(self, obj: Unstructured, metadata: dict[str, Any]) -> Unstructured:
        """Copy an object with other metadata. The copy keeps the resource version."""
        copied = deep_copy(obj)
        stated = _at_version(metadata, copied.metadata.resource_version)
        copied["metadata"] = deep_copy(stated)
        return copied

    def with_replicas(self, obj: Unstructured, replicas: int) -> Unstructured:
        """Copy an object with another `spec.replicas`. The copy keeps the resource version."""
        copied = deep_copy(obj)
        copied["spec"] = {**copied.get("spec", {}), "replicas": replicas}
        return copied


class PathViewStorage(UnstructuredStorage):
    """Keeps objects without a class that have only the fields at some paths."""

    is_compressible = False  # views are small

    def with_metadata(self, obj: Unstructured, metadata: dict[str, Any]) -> Unstructured:
        """Copy an object with other metadata, of which it keeps the fields at its paths."""
        return super().with_metadata(obj, metadata).copy()

    def with_replicas(self, obj: Unstructured, replicas: int) -> Unstructured:
        """Copy an object with another `spec.replicas`, if that is one of its paths."""
        return super().with_replicas(obj, replicas).copy()


def storage_for(model: type[T], list_model: type[ModelList[T]]) -> Storage[T]:
    """Return the storage that keeps the objects of a class as they are.

    Raises:
        TypeError: The class is a Table.
    """
    if issubclass(model, Table):
        raise TypeError("a cache holds objects, not tables: a Table has no name and so no key")
    storage_class: Any = Storage
    if issubclass(model, PartialObjectMetadata) or is_metadata_view(model):
        storage_class = MetadataStorage
    elif is_path_view(model):
        storage_class, list_model = PathViewStorage, list_class(model, "", "")
    elif issubclass(model, Unstructured):
        storage_class = UnstructuredStorage
    storage: Storage[T] = storage_class(model, list_model)
    return storage


def _at_version(metadata: dict[str, Any], version: str) -> dict[str, Any]:
    return {**metadata, "resourceVersion": version}

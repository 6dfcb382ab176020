"""The forms in which caches keep objects: what is asked for, decoded, stored and shown.

An object is met in three forms:

- an **item** is what an answer of the server is decoded into;
- an **entry** is what the store keeps;
- an **object** is what listers, handlers, filters, transforms and index functions get.

Whole objects, metadata and objects without a class are kept as they were decoded: the three are
one Python object, and nothing is called for it. Another form is a subclass of `Storage`.

client-go has parts of it: cache.TransformFunc, metadatainformer, dynamicinformer. In
controller-runtime: cache.ByObject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._http.response import read_list
from .._models.decoder import from_dict
from .._models.deep_copy import deep_copy
from .._models.meta_v1 import PartialObjectMetadata
from .._models.tables import Table
from .._models.unstructured import Object, Unstructured

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .._models.meta_v1 import ModelList, ObjectMeta
    from .._models.model_codec import WatchEvent

__all__ = ["MetadataStorage", "Storage", "UnstructuredStorage", "storage_for"]

T = TypeVar("T", bound=Object)


class Storage(Generic[T]):
    """How one informer asks for objects, keeps them and shows them.

    This class keeps objects of a model class. A subclass that keeps something else sets
    `keeps_objects` to False, and overrides `encode` and `decode`; `prepare`, too, if its items are
    not objects.

    The cache reads no more of an entry than `entry.metadata`, and of that `namespace`, `name`,
    `uid`, `resource_version` and `labels`. They must be those of the object. An item has all of its
    metadata.

    Args:
        model: The class of items. It decides which representation a watch asks for.
        list_model: The class of lists of them.

    Attributes:
        keeps_objects: Whether an entry is the object that is shown.
        is_metadata_only: Whether the metadata of an object is all that is kept of it.
    """

    keeps_objects = True
    is_metadata_only = False

    def __init__(self, model: type[T], list_model: type[ModelList[T]]) -> None:
        self.model = model
        self.list_model = list_model

    # ---- from the server to items -------------------------------------------------------------

    def read_page(
        self, response: HttpResponse, request: HttpRequest, codec: Codec
    ) -> ModelList[Any]:
        """Decode a list, or a page of one, whose `items` are items.

        Raises:
            ApiError, ResponseBroken, DecodeError: It is none, as for `read_list`.
        """
        return read_list(response, self.list_model, request, codec)

    def read_events(self, block: bytes, codec: Codec) -> list[WatchEvent[Any]]:
        """Decode the events of a block of a watch. The object of an event is an item.

        Raises:
            DecodeError: A frame is no event, or its object is of no use.
        """
        return codec.decode_events(block, self.model)

    def read_object(self, body: bytes, codec: Codec) -> Any:
        """Decode the answer to a write into an item.

        Raises:
            DecodeError: It is no object, or of no use.
        """
        return codec.decode(body, self.model, usable=True)

    # ---- from items to entries to objects -----------------------------------------------------

    def prepare(self, item: Any, transform: Callable[[T], T | None] | None) -> Any:
        """Return the entry of an item; None if the transform leaves the object out."""
        obj = item if transform is None else transform(item)
        return None if obj is None else self.encode(obj)

    def encode(self, obj: T) -> Any:
        """Return the entry of an object: what the store keeps."""
        return obj

    def decode(self, entry: Any) -> T:
        """Return the object of an entry: what listers and handlers get."""
        return cast("T", entry)

    @property
    def decoder(self) -> Callable[[Any], T] | None:
        """`decode`; None if an entry is its object, so that nothing is called for each of them."""
        return None if self.keeps_objects else self.decode

    # ---- parts of objects ---------------------------------------------------------------------

    def with_metadata(self, obj: T, metadata: dict[str, Any]) -> T:
        """Copy an object with other metadata. Its resource version stays."""
        copied: Any = deep_copy(obj)
        kept: ObjectMeta = copied.metadata
        copied.metadata = from_dict(type(kept), _at_version(metadata, kept.resource_version))
        return cast("T", copied)

    def with_replicas(self, obj: T, replicas: int) -> T:
        """Copy an object with another `spec.replicas`. Its resource version stays."""
        copied: Any = deep_copy(obj)
        copied.spec.replicas = replicas
        return cast("T", copied)


class MetadataStorage(Storage[PartialObjectMetadata]):
    """Keeps the metadata of objects, and asks for nothing else."""

    is_metadata_only = True


class UnstructuredStorage(Storage[Unstructured]):
    """Keeps objects without a class."""

    def with_metadata(self, obj: Unstructured, metadata: dict[str, Any]) -> Unstructured:
        """Copy an object with other metadata. Its resource version stays."""
        copied = deep_copy(obj)
        stated = _at_version(metadata, copied.metadata.resource_version)
        copied["metadata"] = deep_copy(stated)
        return copied

    def with_replicas(self, obj: Unstructured, replicas: int) -> Unstructured:
        """Copy an object with another `spec.replicas`. Its resource version stays."""
        copied = deep_copy(obj)
        copied["spec"] = {**copied.get("spec", {}), "replicas": replicas}
        return copied


def storage_for(model: type[T], list_model: type[ModelList[T]]) -> Storage[T]:
    """Return the storage that keeps the objects of a class as they are.

    Raises:
        TypeError: The class is a Table.
    """
    if issubclass(model, Table):
        raise TypeError("a cache holds objects, not tables: a Table has no name to find it by")
    kind: Any = Storage
    if issubclass(model, PartialObjectMetadata):
        kind = MetadataStorage
    elif issubclass(model, Unstructured):
        kind = UnstructuredStorage
    made: Storage[T] = kind(model, list_model)
    return made


def _at_version(metadata: dict[str, Any], version: str) -> dict[str, Any]:
    return {**metadata, "resourceVersion": version}

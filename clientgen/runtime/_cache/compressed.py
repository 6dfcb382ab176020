"""Keeps objects compressed, and decodes them when they are read.

Of each object, the cache keeps the JSON that the server sent, compressed (`compression`), and in
plain form what it needs all the time: the key, the uid, the resource version and the labels. The
JSON goes from the response into the compressor; it is decoded only if there is a transform. Equal
labels and namespaces are stored once.

Objects that were read last are shared by all readers, as in a cache of whole objects.

The page caches of docs/guides has figures, and record 14 of docs/decisions the alternatives.
"""

from __future__ import annotations

import logging
from _thread import allocate_lock  # `threading` takes time to import
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from .._http.json_codec import JsonCodec
from .._models.decoder import decode, from_dict, malformed
from .._models.encoder import encode
from .._models.meta_v1 import ListMeta
from .._models.model_codec import WatchEvent
from .._models.unstructured import Object, Unstructured
from ..errors import CacheCorrupted
from .compression import Packed, Packer
from .indexer import meta_namespace_key
from .recent_objects import RecentObjects
from .storage import Storage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .._models.meta_v1 import ModelList
    from .mutation_detector import MutationDetector

T = TypeVar("T", bound=Object)

_NO_JSON: Final = Raw(b"")
_NO_KIND: Final[Mapping[str, str]] = {}
_CHANGES: Final = frozenset({"ADDED", "MODIFIED", "DELETED"})
# Labels that are shared. Above this number, sharing begins anew.
_MAX_SHARED: Final = 4096

logger = logging.getLogger("clientgen.runtime.informers")


class _Metadata(Struct, rename="camel"):
    """What the cache needs of the metadata of an object."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: Raw = _NO_JSON


class _Head(Struct, rename="camel"):
    """An object of which only this is decoded."""

    metadata: _Metadata
    api_version: str | None = None
    kind: str | None = None


class CompressedEntry(Struct, eq=False, gc=False):
    """An object as the cache keeps it. It is its own metadata, as far as the cache needs it.

    An entry that is corrupted has no resource version. So the same object counts as a change when
    it is read again.
    """

    namespace: str
    name: str
    uid: str
    version: str
    labels: Mapping[str, str]
    packed: Packed | None = None
    is_corrupted: bool = False

    @property
    def resource_version(self) -> str:
        """The resource version; empty if the entry is corrupted."""
        is_sound = not self.is_corrupted and (self.packed is None or self.packed.is_sound)
        return self.version if is_sound else ""

    @property
    def metadata(self) -> CompressedEntry:
        """The entry itself."""
        return self


class _Item(Struct):
    """An object whose JSON is compressed when it is stored."""

    metadata: CompressedEntry
    json: bytes | Raw


class _Page(Struct, rename="camel"):
    """A list, or a page of a list, whose items are not decoded."""

    kind: str
    items: list[Raw]
    metadata: Raw
    api_version: str = "v1"


class _ItemList(Struct):
    """A page with heads of its items."""

    items: list[_Item]
    metadata: ListMeta


class _Line(Struct):
    """A watch event whose object is not decoded."""

    type: str
    object: Raw


_page_decoder = msgspec.json.Decoder(_Page)
_line_decoder = msgspec.json.Decoder(_Line)
_head_decoder = msgspec.json.Decoder(_Head)
_list_meta_decoder = msgspec.json.Decoder(ListMeta)
_labels_decoder: msgspec.json.Decoder[dict[str, Any] | None] = msgspec.json.Decoder(
    dict[str, Any] | None
)
_not_plain = (*malformed, msgspec.ValidationError)


class CompressedStorage(Storage[T]):
    """Keeps the objects of another storage compressed.

    Args:
        base: The storage that the objects come from.
    """

    keeps_objects = False

    def __init__(self, base: Storage[T]) -> None:
        super().__init__(base.model, base.list_model)
        self._base = base
        self._packer = Packer()
        self._recent: RecentObjects[CompressedEntry, T] = RecentObjects()
        self._read_again: Callable[[Any, Exception], object] = lambda _entry, _error: None
        self._lock = allocate_lock()
        self._shared_labels: dict[bytes, Mapping[str, str]] = {}
        self._shared_texts: dict[str, str] = {}
        # Items of lists have no kind. Objects of a class have a fixed one.
        self._needs_kind = issubclass(base.model, Unstructured)

    def connect(
        self, detector: MutationDetector[Any], read_again: Callable[[Any, Exception], object]
    ) -> None:
        """See `Storage.connect`."""
        self._recent.detector, self._read_again = detector, read_again

    # ---- from the server to items -------------------------------------------------------------

    def read_page(
        self, response: HttpResponse, request: HttpRequest, codec: Codec
    ) -> ModelList[Any]:
        """Read a page of items. Only their heads are decoded, if the page is a plain list."""
        body = response.body
        if isinstance(codec.for_answer(response.headers), JsonCodec) and _is_text(body):
            try:
                return cast("ModelList[Any]", self._read_plain_page(body))
            except _not_plain:
                pass
        return self._base.read_page(response, request, codec)

    def _read_plain_page(self, body: bytes) -> _ItemList:
        page = _page_decoder.decode(body)
        kind = page.kind.removesuffix("List")
        if kind == page.kind:
            raise msgspec.ValidationError("not a list")
        stated = {"apiVersion": page.api_version, "kind": kind} if kind and self._needs_kind else {}
        items = [self._read_item(json, stated) for json in page.items]
        return _ItemList(items, _list_meta_decoder.decode(page.metadata))

    def read_events(self, block: bytes, codec: Codec) -> list[WatchEvent[Any]]:
        """Read the events of a block. Only the heads of objects are decoded in plain events."""
        if isinstance(codec, JsonCodec) and _is_text(block):
            try:
                return self._read_plain_events(block)
            except _not_plain:
                pass
        return self._base.read_events(block, codec)

    def _read_plain_events(self, block: bytes) -> list[WatchEvent[Any]]:
        events: list[WatchEvent[Any]] = []
        for line in _line_decoder.decode_lines(block):
            if line.type not in _CHANGES:
                raise msgspec.ValidationError("not a plain event")
            events.append(WatchEvent(cast("Any", line.type), self._read_item(line.object)))
        return events

    def _read_item(self, json: Raw, stated: Mapping[str, str] = _NO_KIND) -> _Item:
        """Read an object. If it has no kind, `stated` is written into it."""
        head = _head_decoder.decode(json)
        metadata = head.metadata
        entry = CompressedEntry(
            self._shared_text(metadata.namespace),
            metadata.name,
            metadata.uid,
            metadata.resource_version,
            self._labels_of(bytes(metadata.labels)),
        )
        if stated and not head.kind and not head.api_version:
            return _Item(entry, bytes(json).rstrip()[:-1] + b"," + encode(stated)[1:])
        return _Item(entry, json)

    def read_object(self, body: bytes, codec: Codec) -> T:
        """Decode the response to a write."""
        obj: T = self._base.read_object(body, codec)
        return obj

    # ---- from items to entries to objects -----------------------------------------------------

    def prepare(self, item: Any, transform: Callable[[T], T | None] | None) -> Any:
        """Return the entry of an item. The item has JSON, or is an object."""
        if not isinstance(item, _Item):
            return super().prepare(item, transform)
        if transform is not None:
            return super().prepare(decode(bytes(item.json), self.model), transform)
        entry = item.metadata
        entry.packed = self._packer.pack(item.json)
        return entry

    def encode(self, obj: T) -> CompressedEntry:
        """Return the entry of an object."""
        metadata = cast("Any", obj).metadata
        return CompressedEntry(
            self._shared_text(metadata.namespace),
            metadata.name,
            metadata.uid,
            metadata.resource_version,
            self._labels_of(msgspec.json.encode(dict(metadata.labels))),
            self._packer.pack(encode(obj)),
        )

    def decode(self, entry: CompressedEntry) -> T:
        """Return the object of an entry. Objects that were read last are shared.

        Raises:
            CacheCorrupted: The entry is corrupted. The object is read again from the server.
            DecodeError: The server sent an object that cannot be decoded.
        """
        obj = self._recent.get(entry)
        if obj is None:
            json = self._unpack(entry)
            obj = self._recent.add(entry, decode(json, self.model), len(json))
        return obj

    def remains(self, entry: CompressedEntry) -> T:
        """Return an object with what is known of a corrupted entry: its key, uid and labels."""
        named = {"name": entry.name, "namespace": entry.namespace, "uid": entry.uid}
        metadata = {**named, "labels": dict(entry.labels)}
        return from_dict(self.model, {"metadata": metadata})

    def _unpack(self, entry: CompressedEntry) -> bytes:
        packed = entry.packed
        assert packed is not None
        try:
            return packed.unpack()
        except ValueError as cause:
            kind, key = self.model.__name__, meta_namespace_key(entry)
            error = CacheCorrupted(kind, key, str(cause))
        with self._lock:
            is_known = entry.is_corrupted or not packed.is_sound
            entry.is_corrupted = True
            self._packer.repair(packed.dictionary)
        if not is_known:
            logger.error("%s; reading it again", error)
            self._read_again(entry, error)
        raise error

    # ---- what is equal in many objects --------------------------------------------------------

    def _labels_of(self, json: bytes) -> Mapping[str, str]:
        labels = self._shared_labels.get(json)
        if labels is None:
            labels = (_labels_decoder.decode(json) if json else None) or {}
            if len(self._shared_labels) >= _MAX_SHARED:
                self._shared_labels = {}
            self._shared_labels[json] = labels
        return labels

    def _shared_text(self, text: str) -> str:
        if len(self._shared_texts) >= _MAX_SHARED:
            self._shared_texts = {}
        return self._shared_texts.setdefault(text, text)

    # ---- parts of objects ---------------------------------------------------------------------

    def with_metadata(self, obj: T, metadata: dict[str, Any]) -> T:
        """Copy an object with other metadata. The copy keeps the resource version."""
        return self._base.with_metadata(obj, metadata)

    def with_replicas(self, obj: T, replicas: int) -> T:
        """Copy an object with another `spec.replicas`. The copy keeps the resource version."""
        return self._base.with_replicas(obj, replicas)


def _is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8. Compressed JSON is not looked at before it is read."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True

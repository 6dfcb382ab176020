"""Objects and lists as the bytes of an answer, in the form that was asked for.

Facts: docs/internals/kubernetes-semantics.md, 1.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery.decoding import dump_yaml
from clientgen._apimachinery.failures import Failure

from ..requests.negotiation import JSON, Encoding, error_encoding
from ..requests.request_options import first
from ..tables.table import check_include, table
from .answers import NOSNIFF, Response, plain_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from clientgen._openapi.resolved import ResolvedSchema

    from ..requests.api_request import Request
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Record
    from ..storage.versioned_view import VersionedView
    from .answers import Headers

OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_META: Final = "meta.k8s.io"
_PARTIAL: Final = "PartialObjectMetadata"
_PARTIAL_LIST: Final = "PartialObjectMetadataList"
_TABLE: Final = "Table"


def encode(value: object, encoding: Encoding) -> bytes:
    """A JSON value as bytes."""
    if encoding.format == "yaml":
        return dump_yaml(value)
    data = json.encode(value)
    return json.format(data, indent=2) if encoding.pretty else data + b"\n"


def value_answer(
    status: int, value: object, encoding: Encoding = JSON, headers: Headers | None = None
) -> Response:
    """An answer that is a document of its own."""
    return Response(
        status,
        encode(value, encoding),
        [("content-type", encoding.content_type), *(headers or [])],
    )


def failed(failure: Failure, accept: str) -> Response:
    """The Status a request ends with."""
    headers: Headers = []
    if failure.retry_after is not None:
        headers.append(("retry-after", str(failure.retry_after)))
    return value_answer(failure.code, failure.status(), error_encoding(accept), headers)


def unknown_path() -> Response:
    """The answer for a path that leads nowhere."""
    return plain_text(404, "404 page not found\n", NOSNIFF)


def _list_metadata(metadata: Mapping[str, Any], *, converted: bool = True) -> dict[str, Any]:
    """The metadata of a list. Tables and lists of metadata lose the information on shards."""
    return {
        name: value
        for name, value in metadata.items()
        if value is not None and not (converted and name == "shardInfo")
    }


@dataclass(frozen=True, slots=True)
class Rendering:
    """The form in which the objects of one answer are shown."""

    view: VersionedView
    encoding: Encoding
    include: str
    now: datetime
    object_meta: ResolvedSchema

    @classmethod
    def of(
        cls, request: Request, view: VersionedView, encoding: Encoding, cluster: ClusterState
    ) -> Rendering:
        """As a request asks for it."""
        meta = cluster.spec.schemas.named(OBJECT_META)
        return cls(view, encoding, first(request.query, "includeObject"), cluster.now(), meta)

    def check(self) -> None:
        """Check the options of the form, for answers that begin without an object.

        Raises:
            Failure: 400.
        """
        if self.encoding.form.kind == _TABLE:
            check_include(self.include)

    # ------------------------------------------------------------------------- one object

    def record(self, record: Record, status: int = 200) -> Response:
        """An answer with a stored object."""
        if not self.encoding.form.kind and self.encoding.format == "json":
            body = self.view.whole(record)
            pretty = self.encoding.pretty
            return Response(status, json.format(body, indent=2) if pretty else body + b"\n")
        return self.value(self.view.value(record), status)

    def value(self, value: dict[str, Any], status: int = 200) -> Response:
        """An answer with an object; a Status is always shown as it is."""
        if value.get("kind") != "Status":
            value = self.shown(value)
        return value_answer(status, self.view.strategy.codec.ordered(value), self.encoding)

    def shown(self, value: dict[str, Any], *, columns: bool = True) -> dict[str, Any]:
        """An object in the form that was asked for."""
        form = self.encoding.form
        match form.kind:
            case "":
                return value
            case "Table":
                metadata = {"resourceVersion": value["metadata"].get("resourceVersion")}
                return self._table([value], metadata, columns=columns)
            case "PartialObjectMetadata":
                return self._partial(value)
            case _:
                raise self.view.strategy.codec.not_a_list(form.kind)

    def _partial(self, value: Mapping[str, Any]) -> dict[str, Any]:
        version = f"{_META}/{self.encoding.form.version}"
        return {"kind": _PARTIAL, "apiVersion": version, "metadata": value["metadata"]}

    def _table(
        self, values: Sequence[dict[str, Any]], metadata: Mapping[str, Any], *, columns: bool = True
    ) -> dict[str, Any]:
        return table(
            self.view.strategy.printer,
            self.view.resource.schema,
            values,
            self.now,
            list_metadata=_list_metadata(metadata),
            include=self.include or "Metadata",
            with_columns=columns,
            version=self.encoding.form.version,
            object_meta=self.object_meta,
        )

    # --------------------------------------------------------------------------- a list

    def records(self, records: Sequence[Record], metadata: Mapping[str, Any]) -> Response:
        """An answer with a list of stored objects."""
        if self.encoding == JSON:
            return Response(200, self._joined(records, metadata))
        values = [self.view.value(record) for record in records]
        return value_answer(200, self._shown_list(values, metadata), self.encoding)

    def _joined(self, records: Sequence[Record], metadata: Mapping[str, Any]) -> bytes:
        resource = self.view.resource
        head = {
            "kind": resource.list_kind,
            "apiVersion": resource.api_version,
            "metadata": self.view.strategy.codec.list_metadata(metadata),
        }
        start, end = json.encode(head)[:-1] + b',"items":[', b"]}\n"
        items = self.view.items(records)
        if not items:
            return start + end
        # One join copies each object once; the first and the last one carry the ends.
        items[0] = start + items[0]
        items[-1] += end
        return b",".join(items)

    def _shown_list(
        self, values: Sequence[dict[str, Any]], metadata: Mapping[str, Any]
    ) -> dict[str, Any]:
        form = self.encoding.form
        resource = self.view.resource
        match form.kind:
            case "Table":
                return self._table(values, metadata)
            case "PartialObjectMetadataList":
                kind, version = _PARTIAL_LIST, f"{_META}/{form.version}"
                items = [self._partial(value) for value in values]
            case "":
                kind, version = resource.list_kind, resource.api_version
                metadata = self.view.strategy.codec.list_metadata(metadata)
                items = [self._item(value) for value in values]
            case _:
                raise _not_acceptable(f"{form.kind}, but the requested object is a list")
        listed = _list_metadata(metadata, converted=bool(form.kind))
        return {"kind": kind, "apiVersion": version, "metadata": listed, "items": items}

    def _item(self, value: dict[str, Any]) -> dict[str, Any]:
        if self.view.strategy.codec.typed_items:
            return value
        return {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}


def _not_acceptable(why: str) -> Failure:
    return Failure(406, "NotAcceptable", f"you requested {why}", details=False)

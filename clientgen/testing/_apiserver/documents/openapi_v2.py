"""The OpenAPI v2 document as served: that of the spec, with the custom resources added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Raw, json

from clientgen._openapi import protobuf

from ..responses.answers import Response
from .custom_paths import paths
from .custom_schemas import degraded
from .document_answer import Kept, empty, is_json_accepted, media_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .custom_schemas import Custom
    from .document_answer import Asked

_JSON: Final = "application/json"


class OpenApiV2:
    """The document for one set of custom resources; it is written when it is first asked for."""

    def __init__(self, base: Mapping[str, Any], customs: Iterable[Custom]) -> None:
        self._base = base
        self._customs = tuple(customs)
        self._written: dict[str, Kept] = {}

    def answer(self, asked: Asked) -> Response:
        """Answer `/openapi/v2`, in JSON or in protobuf."""
        media = _media(asked.accept)
        if not media:
            return empty(406, ("vary", "Accept"))
        found = self._written.get(media)
        if found is None:
            write = self._in_json if media == _JSON else self._in_protobuf
            found = self._written[media] = Kept.of(write())
        return conditional(asked, found, media=media)

    def _in_json(self) -> bytes:
        # Each definition is text as soon as it is made: as objects, all of them together would
        # take several times as much memory.
        return json.encode(self._document(lambda definition: Raw(json.encode(definition))))

    def _in_protobuf(self) -> bytes:
        return protobuf.encode(self._document(lambda definition: definition))

    def _document(self, form: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the document with the definitions of custom resources in a form."""
        added_definitions: dict[str, Any] = {}
        added_paths: dict[str, Any] = {}
        for custom in self._customs:
            definitions = custom.definitions(degraded(custom.read()))
            added_definitions |= {name: form(each) for name, each in definitions.items()}
            added_paths |= paths(custom.resource)
        return {
            **self._base,
            "paths": self._base.get("paths", {}) | added_paths,
            "definitions": self._base.get("definitions", {}) | added_definitions,
        }


def _media(accept: str) -> str:
    """The first form that a client takes; empty when it takes none."""
    for media in media_types(accept) or [_JSON]:
        if media.replace("@", ".") == protobuf.MEDIA_TYPE:
            return protobuf.MEDIA_TYPE
        if is_json_accepted(media):
            return _JSON
    return ""


def conditional(asked: Asked, kept: Kept, *more: tuple[str, str], media: str = _JSON) -> Response:
    """Return a document, or 304 if the client has it. `more` headers override the usual ones."""
    tag = f'"{kept.etag}"'
    caching = more or (("cache-control", "no-cache, private"),)
    headers = [("etag", tag), ("vary", "Accept"), *caching]
    if not asked.has(tag):
        return Response(200, kept.body, [("content-type", media), *headers])
    # RFC 9110: a condition on anything but reading fails instead.
    return Response(304 if asked.method in {"GET", "HEAD"} else 412, b"", headers)

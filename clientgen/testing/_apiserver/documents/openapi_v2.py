"""The OpenAPI v2 document as served: that of the spec, with the custom resources added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._openapi import protobuf

from ..responses.answers import Response
from .custom_paths import paths
from .custom_schemas import degraded
from .document_answer import empty, etag_of, is_json_accepted, media_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .custom_schemas import Custom
    from .document_answer import Asked

__all__ = ["OpenApiV2", "conditional"]


_JSON: Final = "application/json"


class OpenApiV2:
    """The document for one set of custom resources; it is written when it is first asked for."""

    def __init__(self, base: Mapping[str, Any], customs: Iterable[Custom]) -> None:
        self._base = base
        self._customs = tuple(customs)
        self._written: dict[str, tuple[bytes, str]] = {}

    def answer(self, asked: Asked) -> Response:
        """Answer `/openapi/v2`, in JSON or in protobuf."""
        media = _media(asked.accept)
        if not media:
            return empty(406, ("vary", "Accept"))
        found = self._written.get(media)
        if found is None:
            write = json.encode if media == _JSON else protobuf.encode
            body = write(self.document())
            found = self._written[media] = (body, etag_of(body))
        return conditional(asked, *found, media=media)

    def document(self) -> dict[str, Any]:
        """The document itself."""
        added_definitions: dict[str, Any] = {}
        added_paths: dict[str, Any] = {}
        for custom in self._customs:
            added_definitions |= custom.definitions(degraded(custom.read()))
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


def conditional(
    asked: Asked, body: bytes, etag: str, *more: tuple[str, str], media: str = _JSON
) -> Response:
    """A document, or word that the client has it already; `more` headers override the usual."""
    tag = f'"{etag}"'
    cached = more or (("cache-control", "no-cache, private"),)
    headers = [("etag", tag), ("vary", "Accept"), *cached]
    if not asked.has(tag):
        return Response(200, body, [("content-type", media), *headers])
    # RFC 9110: a condition on anything but reading fails instead.
    return Response(304 if asked.method in {"GET", "HEAD"} else 412, b"", headers)

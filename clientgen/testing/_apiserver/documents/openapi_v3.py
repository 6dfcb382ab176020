"""The OpenAPI v3 documents: an index, and one document for each group version.

They are the v2 document written otherwise: each holds the paths of one group version and the
schemas these need. Of custom resources they say all that their definitions say.

Facts: docs/internals/kubernetes-semantics.md, 6.2 and 6.3.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from msgspec import Raw, json

from clientgen._openapi.openapi_v3_conversion import COMPONENTS, definition_to_v3, item_to_v3

from ..responses.answers import Response
from .custom_paths import paths
from .custom_schemas import whole
from .document_answer import Kept, empty, is_json_accepted
from .explain_texts import shipped_descriptions
from .openapi_v2 import conditional

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from .custom_schemas import Custom
    from .document_answer import Asked

_ROOT: Final = "/openapi/v3"
_REFERENCE: Final = re.compile(rb'"\$ref":"' + COMPONENTS.encode() + rb'([^"]+)"')
_YEAR: Final = timedelta(days=365)
_CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
_SECURITY: Final = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}


class OpenApiV3:
    """The documents for one set of custom resources; each is written when it is first needed.

    Schemas of custom resources are read again for each document, and not kept: there may be many.
    """

    def __init__(self, base: Mapping[str, Any], customs: Iterable[Custom]) -> None:
        self._base = base
        self._paths: dict[str, dict[str, Any]] = {}
        self._customs: dict[str, list[Custom]] = {}
        self._definitions: Mapping[str, Any] = base.get("definitions", {})
        for path, item in base.get("paths", {}).items():
            self._paths.setdefault(_key(path), {})[path] = item
        for custom in customs:
            resource = custom.resource
            key = f"apis/{resource.group}/{resource.version}"
            self._customs.setdefault(key, []).append(custom)
        self._schemas: dict[str, bytes] = {}
        self._written: dict[str, Kept] = {}

    def index(self) -> Response:
        """Answer `/openapi/v3`, which says where the documents are."""
        urls = {
            key: {"serverRelativeURL": f"{_ROOT}/{quote(key)}?hash={self._document(key).etag}"}
            for key in sorted({*self._paths, *self._customs})
        }
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("cache-control", "no-cache, private"),
        ]
        return Response(200, json.encode({"paths": urls}), headers)

    def answer(self, asked: Asked, now: datetime) -> Response:
        """Answer `/openapi/v3/{key}`. A client that names the hash may keep the document."""
        key = asked.path.removeprefix(f"{_ROOT}/")
        if key not in self._paths and key not in self._customs:
            return empty(404)
        if not is_json_accepted(asked.accept):
            return empty(406, ("vary", "Accept"))
        kept = self._document(key)
        hash_ = asked.query.get("hash", [""])[0]
        if not hash_:
            return conditional(asked, kept)
        if hash_ != kept.etag:
            return _moved(f"{_ROOT}/{quote(key)}?hash={kept.etag}", kept.etag)
        expires = (now + _YEAR).strftime("%a, %d %b %Y %H:%M:%S GMT")
        caching = ("cache-control", "public, immutable"), ("expires", expires)
        return conditional(asked, kept, *caching)

    def _document(self, key: str) -> Kept:
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = Kept.of(self._write(key))
        return found

    def _write(self, key: str) -> bytes:
        items = dict(self._paths.get(key, {}))
        own: dict[str, bytes] = {}
        for custom in self._customs.get(key, ()):
            items |= paths(custom.resource)
            definitions = custom.definitions(whole(custom.read()))
            own |= {name: _written(name, each) for name, each in definitions.items()}
        parameters = self._base.get("parameters", {})
        converted = {path: item_to_v3(item, parameters) for path, item in items.items()}
        is_custom = key not in self._paths
        components: dict[str, Any] = {}
        schemas = self._needed(json.encode(converted), own)
        if schemas:
            components["schemas"] = schemas
        if not is_custom:
            components["securitySchemes"] = _SECURITY
        return json.encode(
            {
                "openapi": "3.0.0",
                "info": _CUSTOM_INFO if is_custom else self._base.get("info", {}),
                "paths": converted,
                "components": components,
            }
        )

    def _needed(self, text: bytes, own: Mapping[str, bytes]) -> dict[str, Any]:
        """The schemas a text refers to, and those they refer to, by name.

        `own` are those of custom resources, which no other document refers to.
        """
        found: dict[str, bytes] = {}
        waiting = _references(text)
        while waiting:
            name = waiting.pop()
            if name not in found and (name in own or name in self._definitions):
                found[name] = own.get(name) or self._schema(name)
                waiting |= _references(found[name])
        return {name: Raw(found[name]) for name in sorted(found)}

    def _schema(self, name: str) -> bytes:
        found = self._schemas.get(name)
        if found is None:
            found = self._schemas[name] = _written(name, self._definitions[name])
        return found


def _written(name: str, definition: dict[str, Any]) -> bytes:
    described = shipped_descriptions().described(name, definition)
    return json.encode(definition_to_v3(name, described))


def _key(path: str) -> str:
    """The document a path stands in: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`."""
    words = path.strip("/").split("/")
    length = {"api": 2, "apis": 3}.get(words[0], len(words))
    return "/".join(words[:length])


def _moved(url: str, etag: str) -> Response:
    return empty(
        301,
        ("location", url),
        ("etag", f'"{etag}"'),
        ("vary", "Accept"),
        ("content-type", "application/json"),
    )


def _references(text: bytes) -> set[str]:
    return {found.decode() for found in _REFERENCE.findall(text)}

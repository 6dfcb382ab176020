"""The documents of a server about itself: the handler for all paths that are no resources.

The documents are made from the spec and the custom resources of the moment, when they are first
asked for, and kept until other custom resources are served.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import json

from clientgen._apimachinery.failures import Failure, method_not_allowed
from clientgen.runtime._clock import SYSTEM_CLOCK

from ..discovery_facts import STORED_IN
from ..requests.negotiation import negotiate
from ..responses.answers import Response
from . import openid
from .custom_schemas import Custom
from .document_answer import Asked, document, etag_of, failed, not_acceptable
from .health_documents import CHECKS, check, version
from .metrics import metrics
from .openapi_v2 import OpenApiV2
from .openapi_v3 import OpenApiV3
from .server_discovery import AGGREGATED, Discovery, Served, version_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clientgen.runtime._clock import Clock

    from ..served_spec import Spec
    from ..storage.registry import Registry

_MEDIA: Final = ("application/json", "application/yaml")
_AGGREGATED_MEDIA: Final = {"*/*": _MEDIA[0], **{media: media for media in _MEDIA}}
_AGGREGATED_SUFFIX: Final = "".join(f";{key}={value}" for key, value in AGGREGATED.items())
_ALWAYS: Final = (
    "/.well-known/openid-configuration",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/version",
)


class Documents:
    """Answers discovery, OpenAPI, version and health.

    Args:
        spec: what is served besides custom resources.
        registry: says which custom resources there are, and when that has changed.
        clock: says when documents that may be kept expire.
        objects: says how many objects of each resource are stored.

    Attributes:
        has_aggregated_discovery: whether everything can be asked for at once; servers before 1.26
            have only a document for each group version.
    """

    def __init__(
        self,
        spec: Spec,
        registry: Registry,
        clock: Clock = SYSTEM_CLOCK,
        objects: Callable[[], Mapping[str, int]] = dict[str, int],
    ) -> None:
        self._objects = objects
        self._spec = spec
        self._registry = registry
        self._clock = clock
        self._made: _Made | None = None
        self._broken: frozenset[tuple[str, str]] = frozenset()
        self.has_aggregated_discovery = True

    def break_group(self, group: str, version: str) -> None:
        """Simulate a group version whose API server cannot be reached."""
        self._broken |= {(group, version)}
        self._made = None

    def mend_group(self, group: str, version: str) -> None:
        """Undo `break_group`."""
        self._broken -= {(group, version)}
        self._made = None

    def is_broken(self, path: str) -> bool:
        """Return whether a path is in a group version that cannot be reached."""
        if not self._broken:
            return False
        root, group, version, *_ = *path.split("/")[1:], "", "", ""
        return root == "apis" and (group, version) in self._broken

    def answer(
        self,
        method: str,
        path: str,
        query: Mapping[str, list[str]],
        headers: Mapping[str, str],
    ) -> Response | None:
        """Answer a request for a document; None when the path is not of one.

        `headers` have lower-case names. Most documents are answered whatever the method is.
        """
        asked = Asked(method, path, query, headers)
        try:
            found = self._answer(asked)
        except Failure as failure:
            found = failed(failure, asked)
        if found is not None and method == "HEAD":
            found.body = b""
        return found

    def _answer(self, asked: Asked) -> Response | None:
        path = asked.path
        match path.split("/")[1:]:
            case [""] | ["index.html"]:
                return self._paths()
            case ["api" | "apis", *_]:
                return self._discovery(asked)
            case ["openapi", *below]:
                return self._openapi(asked, below)
            case ["version", *below]:
                return version(asked, self._spec.version, is_below=any(below))
            case _:
                return self._of_the_server(asked)

    def _of_the_server(self, asked: Asked) -> Response | None:
        match asked.path.rstrip("/"):
            case "/metrics":
                return metrics(self._objects())
            case "/.well-known/openid-configuration":
                return openid.configuration(asked)
            case "/openid/v1/jwks":
                return openid.keys(asked)
            case _:
                return check(asked)

    def _openapi(self, asked: Asked, below: list[str]) -> Response | None:
        match below:
            case ["v2"]:
                return self._current.openapi_v2.answer(asked)
            case ["v3"]:
                return self._current.openapi_v3.index()
            case ["v3", *_]:
                return self._current.openapi_v3.answer(asked, self._clock.now())
            case _:
                return None

    @property
    def _current(self) -> _Made:
        made = self._made
        if made is None or made.revision != self._registry.revision:
            made = self._made = _Made(self._spec, self._registry, self._broken)
        return made

    def _paths(self) -> Response:
        health = [
            "/".join(("", root, *below))
            for root, checks in CHECKS.items()
            for below in ((), *((name,) for name in checks))
        ]
        listed = sorted([*self._current.discovery.paths, *_ALWAYS, *health])
        body = json.format(json.encode({"paths": listed}), indent=2)
        cached = ("cache-control", "no-cache, private")
        return Response(200, body, [("content-type", "application/json"), cached])

    # --------------------------------------------------------------------------- discovery

    def _discovery(self, asked: Asked) -> Response | None:
        discovery = self._current.discovery
        root, *words = asked.path.rstrip("/").removeprefix("/").split("/")
        if root == "api":
            words.insert(0, "")
        match words:
            case [] | [""]:
                return None if asked.path == "/apis//" else self._root(asked, is_core=root == "api")
            case [group] if discovery.group(group):
                return document(discovery.group(group), asked, _form(asked))
            case [group, served] if discovery.has(group, served) and (group or root == "api"):
                is_strict = not discovery.is_custom(group, served)
                if is_strict:
                    _refuse_writing(asked)
                value = discovery.resources(group, served)
                return document(value, asked, _form(asked, is_strict=is_strict))
            case _:
                return None

    def _root(self, asked: Asked, *, is_core: bool) -> Response:
        discovery = self._current.discovery
        if is_core:
            _refuse_writing(asked)
        media = _aggregated(asked.accept)
        if media and self.has_aggregated_discovery:
            return self._current.aggregated(asked, media, is_core=is_core)
        address = asked.headers.get("host", "localhost")
        value = discovery.core_versions(address) if is_core else discovery.groups()
        return document(value, asked, _form(asked, is_strict=is_core))


class _Made:
    """The documents for one revision of the registry."""

    def __init__(
        self, spec: Spec, registry: Registry, broken: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self.revision = registry.revision
        customs = list(_customs(registry))
        self.discovery = Discovery([*_built_in(spec), *(each.served for each in customs)], broken)
        self._spec = spec
        self._customs = customs
        self._etags: dict[bool, str] = {}

    @cached_property
    def openapi_v2(self) -> OpenApiV2:
        """The OpenAPI v2 document."""
        return OpenApiV2(self._spec.document, self._customs)

    @cached_property
    def openapi_v3(self) -> OpenApiV3:
        """The OpenAPI v3 documents."""
        return OpenApiV3(self._spec.document, self._customs)

    def aggregated(self, asked: Asked, media: str, *, is_core: bool) -> Response:
        """The aggregated discovery document, unless the client has it."""
        value = self.discovery.aggregated(core=is_core)
        etag = self._etags.get(is_core)
        if etag is None:
            etag = self._etags[is_core] = f'"{etag_of(json.encode(value))}"'
        kept = [("etag", etag), ("vary", "Accept"), ("cache-control", "public")]
        if asked.headers.get("if-none-match", "") == etag:
            return Response(304, b"", kept)
        answer = document(value, asked, media)
        return Response(200, answer.body, [("content-type", media + _AGGREGATED_SUFFIX), *kept])


def _customs(registry: Registry) -> Iterator[Custom]:
    for strategy in registry.custom_strategies():
        version, definition = strategy.version, strategy.definition
        yield Custom(
            strategy.resource,
            version.read_openapi,
            version.selectable_fields,
            definition.storage_version.name,
            definition.is_ending,
        )


def _built_in(spec: Spec) -> Iterator[Served]:
    preferred: dict[str, str] = {}
    for resource in sorted(spec.resources, key=lambda each: version_rank(each.version)):
        preferred.setdefault(resource.group_resource, resource.version)
    for resource in spec.resources:
        key = resource.group_resource
        yield Served(resource, STORED_IN.get(key, (resource.group, preferred[key])))


def _aggregated(accept: str) -> str:
    """The media type in which a client takes everything at once; empty when it does not."""
    for entry in accept.split(","):
        media, *parameters = (part.strip() for part in entry.split(";"))
        given = {part.partition("=")[0]: part.partition("=")[2] for part in parameters}
        if media in _AGGREGATED_MEDIA and AGGREGATED.items() <= given.items():
            return _AGGREGATED_MEDIA[media]
    return ""


def _form(asked: Asked, *, is_strict: bool = False) -> str:
    """The media type of a document that has no other form, such as tables.

    The real server has two implementations of this, the stricter one for built-in resources.

    Raises:
        Failure: 406, when the client takes neither JSON nor YAML.
    """
    accept = asked.plain_accept
    if asked.accept.strip() and not accept:
        raise not_acceptable(_MEDIA)
    if is_strict:
        return negotiate(accept).content_type
    try:
        return negotiate(accept.replace("application/*", "*/*")).content_type
    except Failure as failure:
        raise not_acceptable(_MEDIA) from failure


def _refuse_writing(asked: Asked) -> None:
    if asked.method != "GET":
        raise method_not_allowed()

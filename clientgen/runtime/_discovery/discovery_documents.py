"""Reads discovery documents, aggregated or not.

In aggregated discovery, the documents at `/api` and `/apis` list all groups, versions and
resources. Older servers list only groups and versions there, and have a document of resources for
each group version. client-go: discovery/discovery_client.go, discovery/aggregated_discovery.go.

The documents are checked. Duplicates, and names that cannot be part of a URL path, are skipped. An
invalid group is reported as a failure, and the other groups are read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import Raw, Struct, field

from .._models.decode_error import DecodeError
from ..errors import one_line
from .discovered_resources import ApiResource, ApiSubresource, Discovered, DiscoveryFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOTS = ("/api", "/apis")
"""The paths of the first documents to request: the core group, and all other groups."""

_AGGREGATED = "g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
PLAIN = "application/json"
ACCEPT = ",".join(
    [*(f"{PLAIN};{_AGGREGATED.format(version)}" for version in ("v2", "v2beta1")), PLAIN]
)
"""The Accept header for aggregated discovery. Older servers answer with the plain form."""

# Generous limits: a cluster with a thousand CustomResourceDefinitions has about as many resources.
_MAX_GROUP_VERSIONS = 5_000
_MAX_RESOURCES = 50_000
# The limit of each list of a resource: verbs, short names, categories, subresources.
_MAX_NAMES = 64
_STALE = "Stale"
_UNAVAILABLE = "the group's API server does not answer (its discovery is stale)"

_is_group = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?").fullmatch
_is_version = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?").fullmatch
_is_name = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9._]{0,251}[A-Za-z0-9])?").fullmatch
_is_kind = re.compile(r"[A-Za-z]([-A-Za-z0-9]{0,251}[A-Za-z0-9])?").fullmatch

T = TypeVar("T")


class Document(Struct):
    """A discovery document as the server sent it.

    Attributes:
        path: the URL path.
        body: the JSON; `null` if there is none.
        etag: the ETag of the document; may be empty.
        is_aggregated: whether the document is one of aggregated discovery.
        failure: the reason why the document could not be read; empty if it was read.
    """

    path: str
    body: Raw = field(default_factory=lambda: Raw(b"null"))
    etag: str = ""
    is_aggregated: bool = False
    failure: str = ""


def is_aggregated(content_type: str) -> bool:
    """Return whether a content type is that of aggregated discovery.

    Proxies may reorder or add parameters (client-go: ContentTypeIsGVK).
    """
    media, *parameters = (part.strip() for part in content_type.split(";"))
    pairs = (parameter.partition("=") for parameter in parameters)
    values = {name.strip(): value.strip() for name, _, value in pairs}
    return (
        media == PLAIN
        and values.get("g") == "apidiscovery.k8s.io"
        and values.get("v") in {"v2", "v2beta1"}
        and values.get("as") == "APIGroupDiscoveryList"
    )


def missing_paths(documents: Mapping[str, Document]) -> list[str]:
    """Return the paths of the documents that must be requested from a server without aggregation.

    Raises:
        DecodeError: a document is not valid.
    """
    paths = [
        path
        for root in ROOTS
        if (document := documents.get(root)) and not document.is_aggregated
        for _, _, path in _group_versions_in(document)
        if path not in documents
    ]
    if len(paths) > _MAX_GROUP_VERSIONS:
        raise _too_many("group versions", _MAX_GROUP_VERSIONS)
    return list(dict.fromkeys(paths))


def read_documents(documents: Mapping[str, Document]) -> Discovered:
    """Read the resources of a server from its documents.

    Args:
        documents: the documents by path. If a root is not aggregated, they must include the
            documents of its group versions.

    Raises:
        DecodeError: a document is not a discovery document, or has too many entries.
    """
    result = _Result()
    for root in ROOTS:
        document = documents.get(root)
        if document is None or document.failure:
            continue
        if document.is_aggregated:
            _read_aggregated(document, result)
        else:
            _read_legacy(document, documents, result)
    return Discovered(tuple(result.resources.values()), tuple(result.failures.values()))


class _Result:
    """Collects resources and failures, and ignores duplicates."""

    def __init__(self) -> None:
        self.resources: dict[tuple[str, str, str], ApiResource] = {}
        self.failures: dict[tuple[str, str], DiscoveryFailure] = {}
        self._group_versions: set[tuple[str, str]] = set()

    def begin_group_version(self, group: str, version: str) -> bool:
        """Begin to read a group version. Returns False if the group version was read before."""
        if (group, version) in self._group_versions:
            return False
        self._group_versions.add((group, version))
        if len(self._group_versions) > _MAX_GROUP_VERSIONS:
            raise _too_many("group versions", _MAX_GROUP_VERSIONS)
        return True

    def add_failure(self, group: str, version: str, message: str) -> None:
        """Add a group version that cannot be read."""
        failure = DiscoveryFailure(group, version, one_line(message))
        self.failures.setdefault((group, version), failure)

    def add(self, resource: ApiResource) -> None:
        """Add a resource."""
        key = resource.group, resource.version, resource.plural
        self.resources.setdefault(key, resource)
        if len(self.resources) > _MAX_RESOURCES:
            raise _too_many("resources", _MAX_RESOURCES)


# ---- aggregated discovery ----------------------------------------------------------------------


class _Kind(Struct):
    group: str | None = ""
    version: str | None = ""
    kind: str | None = ""


class _Subresource(Struct, rename="camel"):
    subresource: str
    response_kind: _Kind | None = None
    verbs: list[str] | None = None


class _Resource(Struct, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str | None = ""
    singular_resource: str | None = ""
    verbs: list[str] | None = None
    short_names: list[str] | None = None
    categories: list[str] | None = None
    subresources: list[_Subresource] | None = None


class _Version(Struct):
    version: str
    resources: list[_Resource] | None = None
    freshness: str | None = ""


class _Metadata(Struct):
    name: str | None = ""


class _Group(Struct):
    metadata: _Metadata | None = None
    versions: list[_Version] | None = None


class _NamedGroup(Struct):
    """The name of a group, for an error message."""

    metadata: _Metadata | None = None


class _Groups(Struct):
    items: list[_Group] | None = None


class _RawGroups(Struct):
    items: list[Raw] | None = None


def _read_aggregated(document: Document, result: _Result) -> None:
    is_core = document.path == ROOTS[0]
    for group in _decode_groups(document, result):
        name = (group.metadata.name if group.metadata else "") or ""
        if is_core is bool(name) or not (is_core or _is_group(name)):
            continue  # only `/api` may list the core group, and only `/apis` other groups
        for version in group.versions or ():
            _read_version(name, version, result)


def _decode_groups(document: Document, result: _Result) -> Iterator[_Group]:
    try:
        yield from _decode_document(document, _Groups).items or ()
    except DecodeError:
        # A part of the document is invalid. Decode each group alone, to read the valid groups.
        for raw in _decode_document(document, _RawGroups).items or ():
            try:
                yield _DECODERS[_Group].decode(raw)
            except _MALFORMED as error:
                name = _name_of(raw) or "a group without a name"
                result.add_failure(name, "", f"the discovery of the group is not valid: {error}")


def _name_of(raw: Raw) -> str:
    try:
        metadata = _DECODERS[_NamedGroup].decode(raw).metadata
    except _MALFORMED:
        return ""
    return one_line(metadata.name or "") if metadata else ""


def _read_version(group: str, version: _Version, result: _Result) -> None:
    if not _is_version(version.version):
        return
    if not result.begin_group_version(group, version.version):
        return
    if version.freshness == _STALE:
        result.add_failure(group, version.version, _UNAVAILABLE)
        return
    for each in version.resources or ():
        kind = each.response_kind.kind if each.response_kind else ""
        if not _is_name(each.resource) or not kind or not _is_kind(kind):
            continue  # client-go skips resources without a kind, too
        result.add(
            ApiResource(
                group,
                version.version,
                each.resource,
                kind,
                each.scope == "Namespaced",
                singular=_singular_name(each.singular_resource, kind),
                verbs=_valid_names(each.verbs),
                short_names=_valid_names(each.short_names),
                categories=_valid_names(each.categories),
                subresources=tuple(_subresources(group, version.version, each.subresources)),
            )
        )


def _subresources(
    group: str, version: str, subresources: list[_Subresource] | None
) -> Iterator[ApiSubresource]:
    seen: set[str] = set()
    for each in (subresources or ())[:_MAX_NAMES]:
        kind = each.response_kind or _Kind()
        if _is_name(each.subresource) and each.subresource not in seen:
            seen.add(each.subresource)
            yield _subresource(each.subresource, kind, group, version, each.verbs)


def _subresource(
    name: str, kind: _Kind, group: str, version: str, verbs: list[str] | None
) -> ApiSubresource:
    """Create a subresource. A kind without group and version has the resource's group version."""
    if kind.group or kind.version:
        group, version = kind.group or "", kind.version or ""
    api_version = one_line(f"{group}/{version}" if group else version)
    return ApiSubresource(name, api_version, one_line(kind.kind or ""), _valid_names(verbs))


# ---- older servers ----------------------------------------------------------------------------


class _Versions(Struct):
    versions: list[str] | None = None


class _LegacyVersion(Struct):
    version: str = ""


class _LegacyGroup(Struct, rename="camel"):
    name: str
    versions: list[_LegacyVersion] | None = None
    preferred_version: _LegacyVersion | None = None


class _LegacyGroups(Struct):
    groups: list[_LegacyGroup] | None = None


class _LegacyResource(Struct, rename="camel"):
    name: str
    singular_name: str | None = ""
    namespaced: bool | None = False
    group: str | None = ""
    version: str | None = ""
    kind: str | None = ""
    verbs: list[str] | None = None
    short_names: list[str] | None = None
    categories: list[str] | None = None


class _LegacyResources(Struct):
    resources: list[_LegacyResource] | None = None


def _group_versions_in(root: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (group, version, path) of the group versions that a root document lists."""
    if root.failure:
        return
    if root.path == ROOTS[0]:
        core = _decode_document(root, _Versions).versions or ()
        yield from (("", each, f"/api/{each}") for each in _valid_versions(core))
        return
    for group in _decode_document(root, _LegacyGroups).groups or ():
        if not _is_group(group.name):
            continue
        preferred = group.preferred_version.version if group.preferred_version else ""
        versions = [each.version for each in group.versions or ()]
        # The preferred version comes first. The sort is stable: the others keep their order.
        versions.sort(key=lambda version: version != preferred)
        for version in _valid_versions(versions):
            yield group.name, version, f"/apis/{group.name}/{version}"


def _valid_versions(versions: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(versions) if _is_version(each)]


def _read_legacy(root: Document, documents: Mapping[str, Document], result: _Result) -> None:
    for group, version, path in _group_versions_in(root):
        if not result.begin_group_version(group, version):
            continue
        document = documents.get(path)
        if document is None or document.failure:
            message = document.failure if document else "the discovery document is missing"
            result.add_failure(group, version, message)
            continue
        try:
            resources = _decode_document(document, _LegacyResources).resources or ()
        except DecodeError as error:
            result.add_failure(group, version, str(error))
            continue
        _read_resources(group, version, resources, result)


def _read_resources(
    group: str, version: str, resources: Iterable[_LegacyResource], result: _Result
) -> None:
    # Read the subresources first, because the list may have them before their resource.
    subresources: dict[str, dict[str, ApiSubresource]] = {}
    for each in resources:
        plural, slash, name = each.name.partition("/")
        if slash and _is_name(name) and len(subresources.setdefault(plural, {})) < _MAX_NAMES:
            kind = _Kind(each.group, each.version, each.kind)
            subresource = _subresource(name, kind, group, version, each.verbs)
            subresources[plural].setdefault(name, subresource)
    for each in resources:
        if not _is_name(each.name) or not each.kind or not _is_kind(each.kind):
            continue
        result.add(
            ApiResource(
                group,
                version,
                each.name,
                each.kind,
                bool(each.namespaced),
                singular=_singular_name(each.singular_name, each.kind),
                verbs=_valid_names(each.verbs),
                short_names=_valid_names(each.short_names),
                categories=_valid_names(each.categories),
                subresources=tuple(subresources.get(each.name, {}).values()),
            )
        )


# ---- both forms --------------------------------------------------------------------------------

# Created at import: threads that create the first decoder of a type at the same time may crash.
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    document_type: msgspec.json.Decoder(document_type)
    for document_type in (
        _Group,
        _Groups,
        _LegacyGroups,
        _LegacyResources,
        _NamedGroup,
        _RawGroups,
        _Versions,
    )
}
_MALFORMED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def _decode_document(document: Document, document_type: type[T]) -> T:
    try:
        return cast("T", _DECODERS[document_type].decode(document.body))
    except _MALFORMED as error:
        raise DecodeError(
            f"{document.path} is not a discovery document: {one_line(str(error))}"
        ) from None


def _singular_name(singular: str | None, kind: str) -> str:
    """Return the singular name that the server sent, or else the kind in lower case."""
    return singular if singular and _is_name(singular) else kind.lower()


def _valid_names(names: list[str] | None) -> tuple[str, ...]:
    valid = (each for each in names or () if _is_name(each))
    return tuple(dict.fromkeys(valid))[:_MAX_NAMES]


def _too_many(entries: str, limit: int) -> DecodeError:
    return DecodeError(f"the server's discovery documents list more than {limit} {entries}")

"""Reads discovery documents: those of everything at once, and those of older servers.

A server of today answers `/api` and `/apis` with all groups, versions and resources. An older one
names the groups there, and each group version has a document of its own. client-go:
discovery/discovery_client.go and discovery/aggregated_discovery.go.

A server's documents are checked: what could not be part of a URL path, or is there twice, is left
out, and a group that cannot be understood is a failure of that group alone.
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

__all__ = ["ACCEPT", "PLAIN", "ROOTS", "Document", "discovered", "is_aggregated", "wanted"]

ROOTS = ("/api", "/apis")
"""The documents to begin with: of the core group, and of all other groups."""

_AS = "g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
PLAIN = "application/json"
ACCEPT = ",".join([*(f"{PLAIN};{_AS.format(version)}" for version in ("v2", "v2beta1")), PLAIN])
"""The Accept header for everything at once; older servers answer the plain form."""

# A cluster with a thousand definitions has about as many resources.
_MOST_GROUP_VERSIONS = 5_000
_MOST_RESOURCES = 50_000
_MOST_NAMES = 64
_STALE = "Stale"
_UNAVAILABLE = "the API server behind it does not answer (its discovery is stale)"

_is_group = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?").fullmatch
_is_version = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?").fullmatch
_is_name = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9._]{0,251}[A-Za-z0-9])?").fullmatch
_is_kind = re.compile(r"[A-Za-z]([-A-Za-z0-9]{0,251}[A-Za-z0-9])?").fullmatch

T = TypeVar("T")


class Document(Struct):
    """One answer of the server.

    Attributes:
        path: the path it was asked for.
        body: the JSON; `null` if there is none.
        etag: what the server calls this state of the document; may be empty.
        is_aggregated: whether it is one of everything at once.
        failure: why there is none.
    """

    path: str
    body: Raw = field(default_factory=lambda: Raw(b"null"))
    etag: str = ""
    is_aggregated: bool = False
    failure: str = ""


def is_aggregated(content_type: str) -> bool:
    """Tell by the content type of an answer whether it is one of everything at once.

    Proxies may reorder its parameters or add some (client-go: ContentTypeIsGVK).
    """
    media, *parameters = (part.strip() for part in content_type.split(";"))
    given = {name.strip(): text.strip() for name, _, text in (p.partition("=") for p in parameters)}
    return (
        media == PLAIN
        and given.get("g") == "apidiscovery.k8s.io"
        and given.get("v") in {"v2", "v2beta1"}
        and given.get("as") == "APIGroupDiscoveryList"
    )


def wanted(documents: Mapping[str, Document]) -> list[str]:
    """Return the paths of the documents that are still needed, because the server is an older one.

    Raises:
        DecodeError: a document cannot be understood.
    """
    paths = [
        path
        for root in ROOTS
        if (document := documents.get(root)) and not document.is_aggregated
        for _, _, path in _listed(document)
        if path not in documents
    ]
    if len(paths) > _MOST_GROUP_VERSIONS:
        raise _too_many("group versions", _MOST_GROUP_VERSIONS)
    return list(dict.fromkeys(paths))


def discovered(documents: Mapping[str, Document]) -> Discovered:
    """Read everything that a server has from its documents.

    Args:
        documents: by path; those of group versions are needed where a root is of the older form.

    Raises:
        DecodeError: a document is no discovery document, or says more than can be true.
    """
    reading = _Reading()
    for root in ROOTS:
        document = documents.get(root)
        if document is None or document.failure:
            continue
        if document.is_aggregated:
            _read_aggregated(document, reading)
        else:
            _read_legacy(document, documents, reading)
    return Discovered(tuple(reading.resources.values()), tuple(reading.failures.values()))


class _Reading:
    """What has been read so far; of what is there twice, the first counts."""

    def __init__(self) -> None:
        self.resources: dict[tuple[str, str, str], ApiResource] = {}
        self.failures: dict[tuple[str, str], DiscoveryFailure] = {}
        self._group_versions: set[tuple[str, str]] = set()

    def begins(self, group: str, version: str) -> bool:
        """Tell whether this is the first that is read of a group version."""
        if (group, version) in self._group_versions:
            return False
        self._group_versions.add((group, version))
        if len(self._group_versions) > _MOST_GROUP_VERSIONS:
            raise _too_many("group versions", _MOST_GROUP_VERSIONS)
        return True

    def fails(self, group: str, version: str, message: str) -> None:
        """Note that a group version cannot be read."""
        failure = DiscoveryFailure(group, version, one_line(message))
        self.failures.setdefault((group, version), failure)

    def add(self, resource: ApiResource) -> None:
        """Keep a resource."""
        key = resource.group, resource.version, resource.plural
        self.resources.setdefault(key, resource)
        if len(self.resources) > _MOST_RESOURCES:
            raise _too_many("resources", _MOST_RESOURCES)


# ---- everything at once -----------------------------------------------------------------------


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
    """As much of a group as a message about it needs."""

    metadata: _Metadata | None = None


class _Groups(Struct):
    items: list[_Group] | None = None


class _RawGroups(Struct):
    items: list[Raw] | None = None


def _read_aggregated(document: Document, reading: _Reading) -> None:
    is_core = document.path == ROOTS[0]
    for group in _groups(document, reading):
        name = (group.metadata.name if group.metadata else "") or ""
        if is_core is bool(name) or not (is_core or _is_group(name)):
            continue  # the core group is in its own document, and nowhere else
        for version in group.versions or ():
            _read_version(name, version, reading)


def _groups(document: Document, reading: _Reading) -> Iterator[_Group]:
    try:
        yield from _decoded(document, _Groups).items or ()
    except DecodeError:
        # Something in there is not what it should be; that is the matter of one group.
        for raw in _decoded(document, _RawGroups).items or ():
            try:
                yield _DECODERS[_Group].decode(raw)
            except _MALFORMED as error:
                name = _name_of(raw) or "a group without a name"
                reading.fails(name, "", f"its discovery cannot be understood: {error}")


def _name_of(raw: Raw) -> str:
    try:
        metadata = _DECODERS[_NamedGroup].decode(raw).metadata
    except _MALFORMED:
        return ""
    return one_line(metadata.name or "") if metadata else ""


def _read_version(group: str, version: _Version, reading: _Reading) -> None:
    if not _is_version(version.version) or not reading.begins(group, version.version):
        return
    if version.freshness == _STALE:
        reading.fails(group, version.version, _UNAVAILABLE)
        return
    for each in version.resources or ():
        kind = each.response_kind.kind if each.response_kind else ""
        if not _is_name(each.resource) or not kind or not _is_kind(kind):
            continue  # as client-go does with resources without a kind
        reading.add(
            ApiResource(
                group,
                version.version,
                each.resource,
                kind,
                each.scope == "Namespaced",
                singular=_singular(each.singular_resource, kind),
                verbs=_names(each.verbs),
                short_names=_names(each.short_names),
                categories=_names(each.categories),
                subresources=tuple(_subresources(group, version.version, each.subresources)),
            )
        )


def _subresources(
    group: str, version: str, subresources: list[_Subresource] | None
) -> Iterator[ApiSubresource]:
    seen: set[str] = set()
    for each in (subresources or ())[:_MOST_NAMES]:
        kind = each.response_kind or _Kind()
        if _is_name(each.subresource) and each.subresource not in seen:
            seen.add(each.subresource)
            yield _subresource(each.subresource, kind, group, version, each.verbs)


def _subresource(
    name: str, kind: _Kind, group: str, version: str, verbs: list[str] | None
) -> ApiSubresource:
    """Make a subresource; a kind without group and version is of those of the resource."""
    if kind.group or kind.version:
        group, version = kind.group or "", kind.version or ""
    api_version = one_line(f"{group}/{version}" if group else version)
    return ApiSubresource(name, api_version, one_line(kind.kind or ""), _names(verbs))


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


def _listed(root: Document) -> Iterator[tuple[str, str, str]]:
    """Go through the group versions that a root names: group, version, path."""
    if root.failure:
        return
    if root.path == ROOTS[0]:
        core = _decoded(root, _Versions).versions or ()
        yield from (("", each, f"/api/{each}") for each in _sound_versions(core))
        return
    for group in _decoded(root, _LegacyGroups).groups or ():
        if not _is_group(group.name):
            continue
        preferred = group.preferred_version.version if group.preferred_version else ""
        versions = [each.version for each in group.versions or ()]
        versions.sort(key=lambda version: version != preferred)  # the others stay in their order
        for version in _sound_versions(versions):
            yield group.name, version, f"/apis/{group.name}/{version}"


def _sound_versions(versions: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(versions) if _is_version(each)]


def _read_legacy(root: Document, documents: Mapping[str, Document], reading: _Reading) -> None:
    for group, version, path in _listed(root):
        if not reading.begins(group, version):
            continue
        document = documents.get(path)
        if document is None or document.failure:
            message = document.failure if document else "its discovery document is missing"
            reading.fails(group, version, message)
            continue
        try:
            resources = _decoded(document, _LegacyResources).resources or ()
        except DecodeError as error:
            reading.fails(group, version, str(error))
            continue
        _read_resources(group, version, resources, reading)


def _read_resources(
    group: str, version: str, resources: Iterable[_LegacyResource], reading: _Reading
) -> None:
    parts: dict[str, dict[str, ApiSubresource]] = {}
    for each in resources:
        plural, slash, name = each.name.partition("/")
        if slash and _is_name(name) and len(parts.setdefault(plural, {})) < _MOST_NAMES:
            kind = _Kind(each.group, each.version, each.kind)
            part = _subresource(name, kind, group, version, each.verbs)
            parts[plural].setdefault(name, part)
    for each in resources:
        if not _is_name(each.name) or not each.kind or not _is_kind(each.kind):
            continue
        reading.add(
            ApiResource(
                group,
                version,
                each.name,
                each.kind,
                bool(each.namespaced),
                singular=_singular(each.singular_name, each.kind),
                verbs=_names(each.verbs),
                short_names=_names(each.short_names),
                categories=_names(each.categories),
                subresources=tuple(parts.get(each.name, {}).values()),
            )
        )


# ---- both -------------------------------------------------------------------------------------

# Made once: threads that make the first decoder of a type at the same time may crash.
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    form: msgspec.json.Decoder(form)
    for form in (
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


def _decoded(document: Document, form: type[T]) -> T:
    try:
        return cast("T", _DECODERS[form].decode(document.body))
    except _MALFORMED as error:
        raise DecodeError(
            f"{document.path} is not a discovery document: {one_line(str(error))}"
        ) from None


def _singular(given: str | None, kind: str) -> str:
    """Return the singular name. Some servers give none; then it is that of the kind."""
    return given if given and _is_name(given) else kind.lower()


def _names(given: list[str] | None) -> tuple[str, ...]:
    sound = (each for each in given or () if _is_name(each))
    return tuple(dict.fromkeys(sound))[:_MOST_NAMES]


def _too_many(what: str, most: int) -> DecodeError:
    return DecodeError(f"the server's discovery documents list more than {most} {what}")

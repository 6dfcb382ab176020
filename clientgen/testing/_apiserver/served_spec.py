"""An OpenAPI v2 document as a list of what is to be served.

Which resources there are, with their verbs and subresources, stands in the paths: each operation
names its `x-kubernetes-action` and the kind it is about. The discovery documents of a server say
the same, so that nothing but the document is needed to imitate it.

Facts: docs/internals/kubernetes-semantics.md, 6.2 and 6.4.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from clientgen._gvk import GroupVersionKind
from clientgen._json import is_object
from clientgen._openapi import v2
from clientgen._openapi.keywords import with_keywords
from clientgen._openapi.openapi_v2_shape import check_shape
from clientgen._openapi.resolved import UNKNOWN, ResolvedSchema, Schemas
from clientgen._openapi.schema import kinds_of, named_schemas
from clientgen._shipped import kubernetes_spec

from .discovery_facts import CATEGORIES, SHORT_NAMES
from .served_resources import Resource, Subresource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from clientgen._openapi.operation import Call

SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")
"""The kind of every `scale` subresource, whatever the operations of custom resources say."""

_PULL: Final = "`clientgen spec pull` fetches one from your cluster."
_RELEASE: Final = re.compile(r"\d+\.(\d+)")
_VERBS: Final[Mapping[str, str]] = {
    "get": "get",
    "list": "list",
    "post": "create",
    "put": "update",
    "patch": "patch",
    "delete": "delete",
    "deletecollection": "deletecollection",
}
"""Discovery's verb for each `x-kubernetes-action`; `watch` and `watchlist` are deprecated."""
_CONNECT_VERBS: Final[Mapping[str, str]] = {
    "get": "get",
    "post": "create",
    "put": "update",
    "patch": "patch",
    "delete": "delete",
}
"""Discovery's verb for each method of a `connect` action, such as those of `pods/exec`."""


class SpecError(ValueError):
    """A document that cannot be served; the text says where, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The resources and schemas of a document.

    Attributes:
        resources: by group, version and plural.
        roots: the definition of each kind that has one.
        version: of the server the document comes from, such as `1.36`.
    """

    resources: tuple[Resource, ...]
    schemas: Schemas
    document: dict[str, Any]
    roots: Mapping[GroupVersionKind, str]
    version: str

    @property
    def minor(self) -> float:
        """The minor number of the release, such as 36; infinite if the document names none."""
        numbers = _RELEASE.search(self.version)
        return int(numbers[1]) if numbers else math.inf

    def schema(self, kind: GroupVersionKind) -> ResolvedSchema:
        """The schema of a kind; one that says nothing when the document has none."""
        name = self.roots.get(kind)
        return self.schemas.named(name) if name else UNKNOWN


def load(path: Path | None = None) -> Spec:
    """The document in a file; without a path, the one that clientgen ships.

    Raises:
        SpecError: the file cannot be read or holds no OpenAPI v2 document.
    """
    return _committed() if path is None else _load(path)


@lru_cache(maxsize=1)
def _committed() -> Spec:
    # Every server of a test run shares it: nobody changes a Spec.
    return _load(kubernetes_spec())


def _load(path: Path) -> Spec:
    try:
        document = json.decode(path.read_bytes())
    except OSError as error:
        do = "Name the OpenAPI document, for example one fetched with `clientgen spec pull`."
        raise SpecError(f"{path}: cannot be read: {error.strerror or error}. {do}") from error
    except (DecodeError, UnicodeDecodeError) as error:
        do = "An API server answers its OpenAPI v2 document on /openapi/v2."
        raise SpecError(f"{path}: is not JSON: {error}. {do}") from error
    try:
        return read(document)
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from error


def read(document: object) -> Spec:
    """Read the resources and schemas of a decoded OpenAPI v2 document.

    Raises:
        SpecError: it is no such document.
    """
    checked = with_keywords(_checked(document))
    schemas = Schemas(named_schemas(checked, *v2.SCHEMAS))
    roots = _roots(schemas)
    collected: dict[tuple[str, str, str], _Collected] = {}
    operations = v2.Operations(checked, "")
    for call in operations.calls():
        _collect(collected, call, operations)
    served = (each for _, each in sorted(collected.items()) if each.kind)
    return Spec(
        resources=tuple(each.resource(schemas, roots) for each in served),
        schemas=schemas,
        document=checked,
        roots=roots,
        version=str(checked.get("info", {}).get("version", "")),
    )


def _checked(document: object) -> dict[str, Any]:
    if not is_object(document):
        raise SpecError(f"is not an OpenAPI v2 document: it is no JSON object. {_PULL}")
    if "openapi" in document:
        what = f"is an OpenAPI {document['openapi']} document; OpenAPI v2 is read here"
        raise SpecError(f"{what}. The v2 document stands on /openapi/v2 of the API server.")
    if document.get("swagger") != "2.0":
        what = 'is not an OpenAPI v2 document: it does not say "swagger": "2.0"'
        raise SpecError(f"{what}. {_PULL}")
    try:
        check_shape(document)
    except ValueError as error:
        raise SpecError(f"cannot be understood: {error}. {_PULL}") from error
    return document


def _roots(schemas: Schemas) -> dict[GroupVersionKind, str]:
    # DeleteOptions and WatchEvent name a kind in every group version; they are roots like others.
    roots: dict[GroupVersionKind, str] = {}
    for name, raw in schemas.definitions.items():
        for kind in kinds_of(raw):
            roots.setdefault(kind, name)
    return roots


# ---------------------------------------------------------------------------------- operations


@dataclass(slots=True)
class _Part:
    """The kind and the verbs that the operations of one resource or subresource add up to."""

    kind: GroupVersionKind | None = None
    verbs: set[str] = field(default_factory=set[str])
    list_of: str = ""

    def add(self, verb: str, call: Call, operations: v2.Operations) -> None:
        self.verbs.add(verb)
        if self.kind is None:
            self.kind = next(iter(call.kinds), None)
        if verb == "list":
            response = operations.response(call.raw)
            self.list_of = (response and response.reference) or ""


@dataclass(slots=True)
class _Collected:
    """One plural of one group version, as far as its operations were seen."""

    group: str
    version: str
    plural: str
    namespaced: bool = False
    whole: _Part = field(default_factory=_Part)
    parts: dict[str, _Part] = field(default_factory=dict[str, _Part])

    def resource(self, schemas: Schemas, roots: Mapping[GroupVersionKind, str]) -> Resource:
        own = GroupVersionKind(self.group, self.version, self.kind)
        qualified = f"{self.plural}.{self.group}" if self.group else self.plural
        name = roots.get(own)
        return Resource(
            group=self.group,
            version=self.version,
            plural=self.plural,
            kind=own.kind,
            namespaced=self.namespaced,
            verbs=self._verbs(),
            singular=own.kind.lower(),
            short_names=SHORT_NAMES.get(qualified, ()),
            categories=CATEGORIES.get(qualified, ()),
            subresources=self._subresources(),
            schema=schemas.named(name) if name else UNKNOWN,
            list_kind=self._list_kind(schemas) or f"{own.kind}List",
        )

    @property
    def kind(self) -> str:
        """The kind of the objects; empty if no operation states it."""
        parts = (self.whole, *self.parts.values())
        return next((part.kind.kind for part in parts if part.kind is not None), "")

    def _verbs(self) -> frozenset[str]:
        # The document does not tell watch from list: what can never be written is not watched
        # (componentstatuses, and the metrics of aggregated servers).
        written = self.whole.verbs & {"create", "delete"}
        watched = {"watch"} if written and "list" in self.whole.verbs else set[str]()
        return frozenset(self.whole.verbs | watched)

    def _subresources(self) -> dict[str, Subresource]:
        return {
            name: Subresource(
                name, SCALE if name == "scale" else part.kind, tuple(sorted(part.verbs))
            )
            for name, part in sorted(self.parts.items())
            if part.kind is not None
        }

    def _list_kind(self, schemas: Schemas) -> str:
        kinds = kinds_of(schemas.definitions.get(self.whole.list_of, {}))
        return kinds[0].kind if kinds else ""


def _collect(
    collected: dict[tuple[str, str, str], _Collected], call: Call, operations: v2.Operations
) -> None:
    verb = _verb(call)
    if not verb:
        return
    key = (call.group_version.group, call.group_version.version, call.plural)
    entry = collected.setdefault(key, _Collected(*key))
    entry.namespaced = entry.namespaced or call.namespaced
    # The path of a proxy request follows as a parameter: `proxy/{path}`.
    name = call.subresource.partition("/")[0]
    part = entry.parts.setdefault(name, _Part()) if name else entry.whole
    part.add(verb, call, operations)


def _verb(call: Call) -> str:
    """Discovery's verb; empty for actions that are not served."""
    if call.action == "connect":
        return _CONNECT_VERBS.get(call.method, "")
    return _VERBS.get(call.action, "")

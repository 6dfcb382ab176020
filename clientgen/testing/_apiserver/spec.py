"""An OpenAPI v2 document as a list of what is to be served.

Which resources there are, with their verbs and subresources, stands in the paths: each operation
names its `x-kubernetes-action` and the kind it is about (fact sheet 6.2, 6.4). The discovery
documents of a server say the same, so that nothing but the document is needed to imitate it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import DecodeError, json

from clientgen._gvk import GroupVersionKind
from clientgen._openapi.resolved import DEFINITIONS, UNKNOWN, Schema, Schemas
from clientgen._openapi.shape import METHODS, check_shape
from clientgen._shipped import kubernetes_spec

from .names import CATEGORIES, SHORT_NAMES
from .resources import Resource, Subresource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["SCALE", "Spec", "SpecError", "load", "read"]

SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")
"""The kind of every `scale` subresource, whatever the operations of custom resources say."""

_PULL: Final = "`clientgen spec pull` fetches one from your cluster."
_GVK: Final = "x-kubernetes-group-version-kind"
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
    """What a document says is served.

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

    def schema(self, kind: GroupVersionKind) -> Schema:
        """The schema of a kind; one that says nothing when the document has none."""
        name = self.roots.get(kind)
        return self.schemas.named(name) if name else UNKNOWN


def load(path: Path | None = None) -> Spec:
    """The document in a file; without a path, that of Kubernetes 1.36.

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
    """What a decoded OpenAPI v2 document says is served.

    Raises:
        SpecError: it is no such document.
    """
    checked = _checked(document)
    definitions: dict[str, Any] = checked.get("definitions", {})
    schemas = Schemas(definitions)
    roots = _roots(definitions)
    found: dict[tuple[str, str, str], _Found] = {}
    for path, item in checked.get("paths", {}).items():
        _collect(found, path, item)
    served = (each for _, each in sorted(found.items()) if each.kind)
    return Spec(
        resources=tuple(each.resource(schemas, roots) for each in served),
        schemas=schemas,
        document=checked,
        roots=roots,
        version=str(checked.get("info", {}).get("version", "")),
    )


def _checked(document: object) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise SpecError(f"is not an OpenAPI v2 document: it is no JSON object. {_PULL}")
    checked = cast("dict[str, Any]", document)
    if "openapi" in checked:
        what = f"is an OpenAPI {checked['openapi']} document; OpenAPI v2 is read here"
        raise SpecError(f"{what}. The v2 document stands on /openapi/v2 of the API server.")
    if checked.get("swagger") != "2.0":
        what = 'is not an OpenAPI v2 document: it does not say "swagger": "2.0"'
        raise SpecError(f"{what}. {_PULL}")
    try:
        check_shape(checked)
    except ValueError as error:
        raise SpecError(f"cannot be understood: {error}. {_PULL}") from error
    return checked


def _roots(definitions: Mapping[str, Any]) -> dict[GroupVersionKind, str]:
    # DeleteOptions and WatchEvent name a kind in every group version; they are roots like others.
    roots: dict[GroupVersionKind, str] = {}
    for name, definition in definitions.items():
        for kind in definition.get(_GVK, ()):
            roots.setdefault(_gvk(kind), name)
    return roots


def _gvk(raw: Mapping[str, str]) -> GroupVersionKind:
    return GroupVersionKind(raw["group"], raw["version"], raw["kind"])


# --------------------------------------------------------------------------------------- paths


@dataclass(slots=True)
class _Part:
    """The kind and the verbs that the operations of one resource or subresource add up to."""

    kind: GroupVersionKind | None = None
    verbs: set[str] = field(default_factory=set[str])
    list_of: str = ""

    def add(self, method: str, operation: Mapping[str, Any]) -> None:
        verb = _verb(method, operation)
        if not verb:
            return
        self.verbs.add(verb)
        if _GVK in operation:
            self.kind = _gvk(operation[_GVK])
        if verb == "list":
            self.list_of = _answered(operation)


@dataclass(slots=True)
class _Found:
    """One plural of one group version, as far as its paths were seen."""

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
        """That of the objects; empty when no operation says it."""
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
        definition = schemas.definitions.get(self.whole.list_of, {})
        kinds = cast("list[dict[str, str]]", definition.get(_GVK) or [{}])
        return kinds[0].get("kind", "")


def _answered(operation: Mapping[str, Any]) -> str:
    answer = operation.get("responses", {}).get("200", {}).get("schema", {})
    return str(answer.get("$ref", "")).removeprefix(DEFINITIONS)


def _collect(found: dict[tuple[str, str, str], _Found], path: str, item: dict[str, Any]) -> None:
    operations: dict[str, dict[str, Any]] = {
        method: item[method] for method in METHODS if method in item
    }
    served = _Served.of(path)
    if served is None or not any(_verb(*each) for each in operations.items()):
        return
    key = (served.group, served.version, served.plural)
    entry = found.setdefault(key, _Found(*key))
    entry.namespaced = entry.namespaced or served.namespaced
    part = (
        entry.parts.setdefault(served.subresource, _Part()) if served.subresource else entry.whole
    )
    for method, operation in operations.items():
        part.add(method, operation)


def _verb(method: str, said: Mapping[str, Any]) -> str:
    """Discovery's verb; empty for discovery itself and the deprecated `/watch/` paths."""
    action = said.get("x-kubernetes-action", "")
    table, key = (_CONNECT_VERBS, method) if action == "connect" else (_VERBS, action)
    return table.get(key, "")


@dataclass(frozen=True, slots=True)
class _Served:
    """What a path of the document leads to."""

    group: str
    version: str
    plural: str
    namespaced: bool
    subresource: str

    @classmethod
    def of(cls, path: str) -> _Served | None:
        """Reads `/apis/{g}/{v}[/namespaces/{namespace}]/{plural}[/{name}[/{sub}[/{path}]]]`."""
        root, _, rest = path.lstrip("/").partition("/")
        words = rest.split("/")
        group = words.pop(0) if root == "apis" else ""
        if root not in {"api", "apis"} or len(words) < 2 or not words[1]:  # noqa: PLR2004
            return None
        version, *words = words
        namespaced = words[:2] == ["namespaces", "{namespace}"]
        plural, *below = words[2:] if namespaced else words
        return cls(group, version, plural, namespaced, below[1] if len(below) > 1 else "")

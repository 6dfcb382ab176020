"""Plans the apply of a manifest set: the order, and each object's name, namespace and resource.

The plan finds all mistakes that need no request, before the first object is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from .._http.path_segments import segment
from .._http.resource import Resource
from ..errors import one_line
from .apply_order import CRD_KIND, NAMESPACE_KIND, group_kind, in_apply_order
from .manifest_documents import ManifestError
from .set_objects import list_problems, mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clientgen._gvk import GroupVersionKind

    from .set_objects import SetObject

# The names of groups, versions and plurals become parts of URL paths.
_PATH_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?").fullmatch


class ObjectKey(Struct, frozen=True, order=True):
    """Identifies an object in a cluster, independent of its API version."""

    group_kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        parts = (self.group_kind.partition(".")[0], self.namespace, self.name)
        return shown_object(*map(one_line, parts))


class PlannedObject(Struct, frozen=True, eq=False):
    """An object of a set and its place in the cluster."""

    source: SetObject
    resource: Resource
    key: ObjectKey

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.key}>"  # the object may be a Secret

    @property
    def where(self) -> str:
        """The place of the object in the manifests."""
        return self.source.where

    @property
    def path(self) -> str:
        """The URL path of the object."""
        return self.resource.object_path(self.key.namespace or None, self.key.name)

    @property
    def is_namespace(self) -> bool:
        """Whether the object is a Namespace."""
        return self.key.group_kind == NAMESPACE_KIND

    @property
    def is_definition(self) -> bool:
        """Whether the object is a CustomResourceDefinition."""
        return self.key.group_kind == CRD_KIND

    def body(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Return the JSON to send: the object with its namespace and additional labels."""
        body = self.source.body()
        metadata = body["metadata"] = dict(body.get("metadata") or {})
        if self.key.namespace:
            metadata["namespace"] = self.key.namespace
        if labels:
            metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
        return body


def shown_object(kind: str, namespace: str, name: str) -> str:
    """Return the text of an object for messages: `Deployment shop/web`, `Namespace shop`."""
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def defined_resources(objects: Iterable[SetObject]) -> dict[GroupVersionKind, Resource]:
    """Return the resources that CustomResourceDefinitions among the objects define."""
    resources: dict[GroupVersionKind, Resource] = {}
    for each in objects:
        gvk = each.gvk
        if group_kind(gvk.group, gvk.kind) == CRD_KIND:
            for resource in _resources_of(each.body().get("spec")):
                resources[resource.gvk] = resource
    return resources


def _resources_of(spec: object) -> Iterator[Resource]:
    """Yield a resource for each served version, except versions that the server would refuse."""
    definition = mapping(spec)
    names = mapping(definition.get("names"))
    group, plural, kind = definition.get("group"), names.get("plural"), names.get("kind")
    versions = definition.get("versions")
    for each in cast("list[object]", versions) if isinstance(versions, list) else ():
        version = mapping(each).get("name")
        named = all(isinstance(part, str) and _PATH_NAME(part) for part in (group, version, plural))
        if named and kind and mapping(each).get("served") is not False:
            namespaced = definition.get("scope") != "Cluster"
            yield Resource(str(group), str(version), str(plural), str(kind), namespaced)


def plan(
    objects: Iterable[SetObject],
    resources: Mapping[GroupVersionKind, Resource],
    unknown: Mapping[GroupVersionKind, str],
    *,
    namespace: str | None,
    default_namespace: str,
    problems: Iterable[str] = (),
) -> list[PlannedObject]:
    """Plan all objects, and return them in the order in which they are applied.

    Args:
        objects: the set.
        resources: the resources of known kinds.
        unknown: for other kinds, the reasons why their resources are unknown.
        namespace: the namespace that the caller passed; all objects must be in it.
        default_namespace: the namespace of objects without one, if the caller passed none.
        problems: more problems to report.

    Raises:
        ManifestError: the message has a line for each problem, with its place.
    """
    planner = _Planner(resources, unknown, namespace, default_namespace)
    for each in objects:
        planner.add(each)
    all_problems = [*planner.problems, *problems]
    if all_problems:
        raise ManifestError(list_problems(all_problems))
    return in_apply_order(planner.planned.values(), lambda each: each.key.group_kind)


class _Planner:
    """Collects planned objects and problems, so that all problems are reported at once."""

    def __init__(
        self,
        resources: Mapping[GroupVersionKind, Resource],
        unknown: Mapping[GroupVersionKind, str],
        namespace: str | None,
        default_namespace: str,
    ) -> None:
        self._resources = resources
        self._unknown = unknown
        self._namespace = namespace
        self._default_namespace = default_namespace
        self.planned: dict[ObjectKey, PlannedObject] = {}
        self.problems: list[str] = []

    def add(self, source: SetObject) -> None:
        try:
            planned = self._plan_object(source)
        except ManifestError as error:
            self.problems.append(str(error))
            return
        first = self.planned.setdefault(planned.key, planned)
        if first is not planned:
            self.problems.append(
                f"{planned.where}: {planned.key} is also in {first.where}: remove one of the two"
            )

    def _plan_object(self, source: SetObject) -> PlannedObject:
        gvk = source.gvk
        kind = one_line(gvk.kind)
        metadata: object = source.body().get("metadata")
        if metadata is not None and not isinstance(metadata, Mapping):
            raise ManifestError(f"{source.where}: {kind}: metadata is not an object")
        fields = mapping(cast("object", metadata))
        name = self._name_of(source, kind, fields)
        title = f"{kind} {one_line(name)}"
        for field in ("labels", "annotations"):
            if not isinstance(fields.get(field, {}), Mapping | None):
                raise ManifestError(
                    f"{source.where}: {title}: metadata.{field} is not a map of strings"
                )
        if fields.get("managedFields"):
            raise ManifestError(
                f"{source.where}: {title}: metadata.managedFields is set, so the object was read"
                " from a server; leave out the fields that servers set:"
                " Scheme.dump(objects, server_fields=False)"
            )
        resource = self._resources.get(gvk)
        if resource is None:
            reason = self._unknown.get(gvk) or f"the server has no kind {gvk}"
            reason = reason if reason.isprintable() else one_line(reason)
            raise ManifestError(f"{source.where}: {title}: {reason}")
        namespace = self._namespace_of(source, title, resource, fields)
        return PlannedObject(
            source, resource, ObjectKey(group_kind(gvk.group, gvk.kind), namespace, name)
        )

    def _name_of(self, source: SetObject, kind: str, metadata: Mapping[str, Any]) -> str:
        name = metadata.get("name")
        if not name and metadata.get("generateName"):
            raise ManifestError(
                f"{source.where}: {kind}: an object to apply needs metadata.name;"
                " generateName works with create() only"
            )
        return self._checked_segment(source, kind, "metadata.name", name)

    def _namespace_of(
        self, source: SetObject, title: str, resource: Resource, metadata: Mapping[str, Any]
    ) -> str:
        own = metadata.get("namespace")
        if own is not None and not isinstance(own, str):
            raise ManifestError(f"{source.where}: {title}: metadata.namespace is not a string")
        if not resource.namespaced:
            if own:
                raise ManifestError(
                    f"{source.where}: {title}: {resource.plural} are cluster-scoped:"
                    f" leave out metadata.namespace ({own!r})"
                )
            return ""
        if own and self._namespace and own != self._namespace:
            raise ManifestError(
                f"{source.where}: {title}: metadata.namespace is {own!r},"
                f" but namespace={self._namespace!r} was passed"
            )
        namespace = own or self._namespace or self._default_namespace
        return self._checked_segment(source, title, "metadata.namespace", namespace)

    def _checked_segment(self, source: SetObject, title: str, field: str, value: Any) -> str:
        try:
            segment(field, value)
        except ValueError as error:
            raise ManifestError(f"{source.where}: {title}: {error}") from None
        return str(value)

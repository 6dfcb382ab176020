"""A custom resource as definitions and operations, as an API server would document it.

Definitions of custom resources and the user's own classes become the same kind of spec as a
server's document, so that everything after the sources knows one kind of input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._openapi.operation import Operation
from clientgen._openapi.schema import KINDS, SELECTABLE, Schema, reference_to, written_kind
from clientgen.generator.sources.spec import META_PACKAGE, Definition, Precedence, Spec

_SCALE = "io.k8s.api.autoscaling.v1.Scale"
_Json = Mapping[str, Any]

_MERGE, _APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
# The patches for custom resources: no strategic merge, which needs merge keys.
_PATCHES = ("application/json-patch+json", _MERGE, _APPLY)


@dataclass(frozen=True, slots=True)
class ServedKind:
    """One served version of a custom resource.

    `schema` is its openAPIV3Schema and `where` the place of that; `list_kind` is the kind of its
    lists.
    """

    group: str
    version: str
    kind: str
    list_kind: str
    plural: str
    namespaced: bool
    schema: Schema
    where: str
    status: bool = False
    scale: bool = False
    selectable_fields: tuple[str, ...] = ()
    """JSON paths that field selectors may have: `.spec.colour`."""

    @property
    def group_version(self) -> GroupVersion:
        """The group version that serves it."""
        return GroupVersion(self.group, self.version)


def custom_spec(source: str, resources: Iterable[ServedKind], precedence: Precedence) -> Spec:
    """Document custom resources.

    Args:
        source: what they are from, for messages.
        resources: every served version.
        precedence: of a manifest or of the user's class.
    """
    served = list(resources)
    stand_ins = _stand_ins(scale=any(resource.scale for resource in served))
    named = (d for resource in served for d in _definitions(resource, precedence))
    return Spec(
        source=source,
        definitions={**stand_ins, **{definition.name: definition for definition in named}},
        operations=tuple(op for resource in served for op in _operations(resource)),
        precedence=precedence,
    )


def _stand_ins(*, scale: bool) -> dict[str, Definition]:
    """Return definitions that custom resources refer to; a real document takes precedence."""
    object_type: _Json = {"type": "object", "properties": {}}
    schemas: dict[str, _Json] = {
        f"{META_PACKAGE}.{name}": object_type for name in ("ListMeta", "ObjectMeta", "Status")
    }
    if scale:
        schemas.update(_SCALES)
    return {
        name: Definition(name, Schema(raw), name, Precedence.STAND_IN)
        for name, raw in schemas.items()
    }


_STRING, _COUNT = {"type": "string"}, {"type": "integer", "format": "int32"}
_TYPE_META = {"apiVersion": _STRING, "kind": _STRING}
# autoscaling/v1, as a server documents it.
_SCALES: Mapping[str, _Json] = {
    _SCALE: {
        "type": "object",
        "properties": {
            **_TYPE_META,
            "metadata": reference_to(f"{META_PACKAGE}.ObjectMeta"),
            "spec": reference_to(f"{_SCALE}Spec"),
            "status": reference_to(f"{_SCALE}Status"),
        },
        KINDS: [written_kind(GroupVersionKind("autoscaling", "v1", "Scale"))],
    },
    f"{_SCALE}Spec": {"type": "object", "properties": {"replicas": _COUNT}},
    f"{_SCALE}Status": {
        "type": "object",
        "properties": {"replicas": _COUNT, "selector": _STRING},
        "required": ["replicas"],
    },
}


def _definition_name(resource: ServedKind, kind: str) -> str:
    return resource.group_version.with_kind(kind).definition_name


def _definitions(resource: ServedKind, precedence: Precedence) -> Iterator[Definition]:
    item = _definition_name(resource, resource.kind)
    listed = _definition_name(resource, resource.list_kind)
    yield Definition(item, _object(resource), resource.where, precedence)
    yield Definition(listed, _list(resource, item), f"{resource.where} (its list)", precedence)


def _object(resource: ServedKind) -> Schema:
    """The schema with the metadata every object has; a definition says only what it adds."""
    metadata = reference_to(f"{META_PACKAGE}.ObjectMeta")
    described = resource.schema.extended({**_TYPE_META, "metadata": metadata})
    kind = resource.group_version.with_kind(resource.kind)
    fields = [{"fieldPath": path} for path in resource.selectable_fields]
    own = {"type": "object", KINDS: [written_kind(kind)], SELECTABLE: fields}
    return Schema({**described.raw, **own})


def _list(resource: ServedKind, item: str) -> Schema:
    raw = {
        "type": "object",
        "description": f"{resource.list_kind} is a list of {resource.kind}.",
        "properties": {
            **_TYPE_META,
            "items": {"type": "array", "items": reference_to(item)},
            "metadata": reference_to(f"{META_PACKAGE}.ListMeta"),
        },
        "required": ["items"],
        KINDS: [written_kind(resource.group_version.with_kind(resource.list_kind))],
    }
    return Schema(raw)


def _operations(resource: ServedKind) -> Iterator[Operation]:
    item = Schema(reference_to(_definition_name(resource, resource.kind)))
    listed = Schema(reference_to(_definition_name(resource, resource.list_kind)))
    status = Schema(reference_to(f"{META_PACKAGE}.Status"))
    yield _operation(resource, "list", response=listed)
    yield _operation(resource, "post", body=item, response=item)
    yield _operation(resource, "deletecollection", response=status)
    yield from _object_operations(resource, "", item)
    yield _operation(resource, "delete", response=status)
    if resource.status:
        yield from _object_operations(resource, "status", item)
    if resource.scale:
        yield from _object_operations(resource, "scale", Schema(reference_to(_SCALE)))


def _object_operations(
    resource: ServedKind, subresource: str, schema: Schema
) -> Iterator[Operation]:
    yield _operation(resource, "get", subresource, response=schema)
    yield _operation(resource, "put", subresource, body=schema, response=schema)
    yield _operation(resource, "patch", subresource, response=schema)


def _operation(
    resource: ServedKind,
    action: str,
    subresource: str = "",
    *,
    response: Schema,
    body: Schema | None = None,
) -> Operation:
    called = "/".join(filter(None, (resource.plural, subresource)))
    return Operation(
        where=resource.where,
        operation_id=f"{action} {called} of {resource.group_version}",
        action=action,
        group_version=resource.group_version,
        plural=resource.plural,
        subresource=subresource,
        namespaced=resource.namespaced,
        kinds=(resource.group_version.with_kind(resource.kind),),
        body=body,
        response=response,
        consumes=_PATCHES if action == "patch" else (),
        watchable=action == "list",
    )

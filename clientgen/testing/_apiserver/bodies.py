"""The object in a request body: decoded, of the right kind, cleaned of what its type does not have.

Fact sheet 1.4: built-in kinds may leave apiVersion and kind out, custom resources may not; unknown
and duplicate fields are ignored, warned of or refused, as `fieldValidation` says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import Format, normalise, parse
from clientgen._apimachinery.decoding.guards import is_object
from clientgen._apimachinery.failures import Failure, bad_request, invalid, invalid_value

from .resources import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clientgen._openapi.resolved import Schemas

    from .cluster import Cluster
    from .routing import Call, Target

__all__ = [
    "Body",
    "body_resource",
    "cleaned",
    "complain",
    "drop_repeated_owners",
    "mismatch",
    "object_of",
    "place",
]

_OBJECT_META: Final = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_HEAD: Final = {"type": "object", "properties": {"metadata": {"$ref": _OBJECT_META}}}
"""What is known of every custom object."""


@dataclass(slots=True)
class Body:
    """An object from a request, with what was odd about it: `unknown field "spec.x"` and so on."""

    value: dict[str, Any]
    problems: list[str] = field(default_factory=list[str])


def object_of(call: Call, resource: Resource, schemas: Schemas) -> Body:
    """Read the object of a create or an update.

    Raises:
        Failure: 400, 413, 415 for a body that is no such object, 422 for a custom resource of
            another kind.
    """
    content_type = call.headers.get("content-type", "")
    own = resource.custom is None
    accepted = Format if own else (Format.JSON, Format.YAML)
    parsed = parse(call.body, content_type, kind=resource.kind, merging=own, accepted=accepted)
    _check_kind(parsed.value, resource)
    value, unknown = cleaned(parsed.value, resource, schemas)
    drop_repeated_owners(call, value["metadata"])
    return Body(value, parsed.complaints(unknown))


def body_resource(cluster: Cluster, target: Target) -> Resource:
    """The kind of a subresource's body, as a resource of its own."""
    kind = target.resource.subresources[target.subresource].kind
    schema = cluster.spec.schema(kind)
    return Resource(
        group=kind.group,
        version=kind.version,
        plural=target.resource.plural,
        kind=kind.kind,
        namespaced=target.resource.namespaced,
        verbs=frozenset(),
        schema=schema,
    )


def _check_kind(value: dict[str, Any], resource: Resource) -> None:
    kind, api_version = value.get("kind"), value.get("apiVersion")
    if resource.custom is not None:
        _check_custom_kind(value, resource)
    elif (kind and kind != resource.kind) or (api_version and api_version != resource.api_version):
        raise bad_request(
            f'{kind or resource.kind} in version "{api_version or resource.version}" cannot be '
            f'handled as a {resource.kind}: no kind "{kind}" is registered for version '
            f'"{api_version}"'
        )


def _check_custom_kind(value: dict[str, Any], resource: Resource) -> None:
    for name, word in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if not value.get(name):
            raise bad_request(f"Object '{word}' is missing in '{json.dumps(value)}'")
    if value["apiVersion"] != resource.api_version:
        raise bad_request(
            f"the API version in the data ({value['apiVersion']}) does not match the expected API "
            f"version ({resource.api_version})"
        )
    if value["kind"] != resource.kind:
        metadata = value.get("metadata")
        name = str(metadata.get("name") or "") if is_object(metadata) else ""
        cause = invalid_value("kind", value["kind"], f"must be {resource.kind}")
        raise invalid(resource.group, value["kind"], name, [cause])


def cleaned(
    value: dict[str, Any],
    resource: Resource,
    schemas: Schemas,
    refuse: Callable[[str], Failure] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """An object without what its type does not have, its scalars in their canonical form.

    Also gives the paths of what was unknown. A custom object may be changed in place.

    Raises:
        Failure: 400 for a value of the wrong type, or what `refuse` makes of the reason.
    """
    custom = resource.custom
    if custom is None:
        made = normalise(value, resource.schema, refuse=refuse)
        made.value.setdefault("metadata", {})
        return made
    unknown = custom.prune(value)
    head = {"metadata": value.get("metadata")}
    made = normalise(head, schemas.of(_HEAD), refuse=refuse or _refusal(resource))
    value["metadata"] = made.value.get("metadata") or {}
    return value, [*unknown, *made.unknown]


def _refusal(resource: Resource) -> Callable[[str], Failure]:
    kind, version = resource.kind, resource.version
    start = f'{kind} in version "{version}" cannot be handled as a {kind}: '
    return lambda why: bad_request(start + why)


def complain(
    call: Call, problems: Sequence[str], validation: str, resource: Resource | None = None
) -> None:
    """Refuse a body with problems, or warn of them, as the client wants.

    Args:
        call: the request.
        problems: what is odd about its body.
        validation: `Strict`, `Warn` or `Ignore`.
        resource: of what kind the body is, if it is an object.

    Raises:
        Failure: 400, for `Strict`.
    """
    if problems and validation == "Strict":
        refuse = _refusal(resource) if resource else bad_request
        raise refuse(f"strict decoding error: {', '.join(problems)}")
    if validation == "Warn":
        call.warnings.extend(problems)


def drop_repeated_owners(call: Call, metadata: dict[str, Any]) -> None:
    """Keep one of several ownerReferences that are the same, and warn of the others."""
    references: list[dict[str, Any]] = metadata.get("ownerReferences") or []
    kept: dict[str, dict[str, Any]] = {}
    repeated: dict[Any, None] = {}
    for reference in references:
        if kept.setdefault(json.dumps(reference, sort_keys=True), reference) is not reference:
            repeated[reference.get("uid")] = None
    if not repeated:
        return
    metadata["ownerReferences"] = list(kept.values())
    call.warnings.append(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references "
        "in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
        f"duplicate UID(s) observed: {', '.join(map(str, repeated))}"
    )


def place(metadata: dict[str, Any], resource: Resource, namespace: str) -> None:
    """Put an object into the namespace of the URL, which it may name but not contradict.

    Raises:
        Failure: 400.
    """
    if not resource.namespaced:
        metadata.pop("namespace", None)
    elif metadata.setdefault("namespace", namespace) != namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def mismatch(what: str, given: str, wanted: str) -> Failure:
    """400: the body names something else than the URL."""
    return bad_request(
        f"the {what} of the object ({given}) does not match the {what} on the URL ({wanted})"
    )

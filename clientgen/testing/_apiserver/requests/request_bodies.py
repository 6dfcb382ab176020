"""The object in a request body: decoded, of the right kind, cleaned of what its type does not have.

Built-in kinds may leave apiVersion and kind out, custom resources may not; unknown and duplicate
fields are ignored, warned of or refused, as `fieldValidation` says.

Facts: docs/internals/kubernetes-semantics.md, 1.4.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.decoding import parse
from clientgen._apimachinery.failures import Failure, bad_request

from ..kinds.kind_codecs import refusal
from ..served_resources import Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clientgen._openapi.resolved import Schemas

    from ..kinds.kind_codecs import Codec
    from ..storage.cluster_state import ClusterState
    from .api_request import Request
    from .request_info import RequestInfo


@dataclass(slots=True)
class Body:
    """An object from a request, and its problems: `unknown field "spec.x"` and so on."""

    value: dict[str, Any]
    problems: list[str] = field(default_factory=list[str])


def object_of(request: Request, codec: Codec, schemas: Schemas) -> Body:
    """Read the object of a create or an update.

    Raises:
        Failure: 400, 413, 415 for a body that is no such object, 422 for a custom resource of
            another kind.
    """
    content_type = request.content_type
    parsed = parse(
        request.body,
        content_type,
        kind=codec.resource.kind,
        merging=codec.merges_duplicates,
        accepted=codec.formats,
    )
    codec.check_kind(parsed.value)
    value, unknown = codec.clean(parsed.value, schemas)
    drop_repeated_owners(request, value["metadata"])
    return Body(value, parsed.complaints(unknown))


def body_resource(cluster: ClusterState, info: RequestInfo) -> Resource:
    """The kind of a subresource's body, as a resource of its own."""
    kind = info.resource.subresources[info.subresource].kind
    schema = cluster.spec.schema(kind)
    return Resource(
        group=kind.group,
        version=kind.version,
        plural=info.resource.plural,
        kind=kind.kind,
        namespaced=info.resource.namespaced,
        verbs=frozenset(),
        schema=schema,
    )


def complain(
    request: Request, problems: Sequence[str], validation: str, resource: Resource | None = None
) -> None:
    """Refuse a body with problems, or warn of them, as the client wants.

    Args:
        request: the request.
        problems: the problems of its body.
        validation: `Strict`, `Warn` or `Ignore`.
        resource: of what kind the body is, if it is an object.

    Raises:
        Failure: 400, for `Strict`.
    """
    if problems and validation == "Strict":
        refuse = refusal(resource) if resource else bad_request
        raise refuse(f"strict decoding error: {', '.join(problems)}")
    if validation == "Warn":
        request.warnings.extend(problems)


def drop_repeated_owners(request: Request, metadata: dict[str, Any]) -> None:
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
    request.warnings.append(
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

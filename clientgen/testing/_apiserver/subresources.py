"""Parts of objects whose bodies are of another kind: scale, eviction, binding, token, log.

`status` and the like are written as the object itself is (`writing`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Failure, bad_request
from clientgen._apimachinery.optional_parts import part

from . import posting
from .patches.patch import APPLY, Patch, patch_type, read_patch
from .requests.bodies import body_resource, complain, object_of
from .requests.options import write_options
from .scaling import Scaling
from .storage.versioned_view import VersionedView
from .writing import Writing

if TYPE_CHECKING:
    from .requests.request_info import RequestInfo
    from .responses.answers import Answer
    from .responses.rendering import Rendering
    from .storage.cluster import Cluster

__all__ = ["SPECIAL", "handle"]

_STREAMS: Final = frozenset(["exec", "attach", "portforward"])
SPECIAL: Final = frozenset(["scale", "eviction", "binding", "token", "log", "proxy", *_STREAMS])
"""The subresources that `handle` takes."""


def handle(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    """A request to one of the special subresources.

    Raises:
        Failure: 400 or 503 for those that only a kubelet could answer, among others.
    """
    if info.subresource in _STREAMS or info.subresource == "proxy":
        raise _unconnected(cluster, info)
    match info.subresource:
        case "scale":
            return _scale(cluster, info, shown)
        case "eviction":
            return posting.evict_pod(cluster, info, shown)
        case "binding":
            return posting.bind_pod(cluster, info, shown)
        case "token":
            return posting.issue_token(cluster, info, shown)
        case _:
            return posting.read_log(cluster, info)


def _unconnected(cluster: Cluster, info: RequestInfo) -> Failure:
    """Why nothing can be connected to; 404 when there is not even the object."""
    record = cluster.found(info.resource, info.namespace, info.name)
    if info.subresource == "proxy":
        return Failure(503, "ServiceUnavailable", "there is nothing to be proxied to")
    if not part(record.value(), "spec").get("nodeName"):
        return bad_request(f"pod {info.name} does not have a host assigned")
    return bad_request("Upgrade request required: this server has no containers to connect to")


# ------------------------------------------------------------------------------- scale


def _scale(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    parent = VersionedView(info.resource, cluster.registry)
    resource = body_resource(cluster, info)
    shown = replace(shown, view=VersionedView(resource, cluster.registry))
    if info.verb == "get":
        scaling = Scaling(cluster, info, parent)
        return shown.value(
            scaling.read(parent.value(cluster.found(info.resource, info.namespace, info.name)))
        )
    kind = "UpdateOptions" if info.verb == "update" else "PatchOptions"
    media = patch_type(info.request, info.strategy.codec) if info.verb == "patch" else ""
    options = write_options(info.request, kind, apply=media == APPLY)
    writing = Writing(cluster, info, options)
    scaling = Scaling(cluster, info, parent)
    if info.verb == "update":
        body = object_of(info.request, shown.view.strategy.codec, cluster.spec.schemas)
        complain(info.request, body.problems, options.validation, resource)
        value = scaling.update(writing, body.value)
    else:
        parsed = read_patch(info.request.body, media, checked=options.validation != "Ignore")
        if media == APPLY:
            complain(info.request, parsed.complaints(), options.validation)
            value = scaling.apply(writing, parsed.value, resource)
        else:
            value = scaling.patch(writing, Patch(media, parsed.value, resource), parsed)
    return shown.value(value)

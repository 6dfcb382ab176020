"""Parts of objects whose bodies are of another kind: scale, eviction, binding, token, log.

`status` and the like are written as the object itself is (`writing`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Failure, bad_request
from clientgen._apimachinery.optional_parts import part

from . import posting
from .bodies import body_resource, complain, object_of
from .options import write_options
from .patching import APPLY, Patch, patch_type, read_patch
from .scaling import Scaling
from .views import View
from .writing import Writing

if TYPE_CHECKING:
    from .answers import Answer
    from .cluster import Cluster
    from .rendering import Rendering
    from .routing import Call, Target

__all__ = ["SPECIAL", "handle"]

_STREAMS: Final = frozenset(["exec", "attach", "portforward"])
SPECIAL: Final = frozenset(["scale", "eviction", "binding", "token", "log", "proxy", *_STREAMS])
"""The subresources that `handle` takes."""


def handle(verb: str, cluster: Cluster, call: Call, target: Target, shown: Rendering) -> Answer:
    """A request to one of the special subresources.

    Raises:
        Failure: 400 or 503 for those that only a kubelet could answer, among others.
    """
    if target.subresource in _STREAMS or target.subresource == "proxy":
        raise _unconnected(cluster, target)
    match target.subresource:
        case "scale":
            return _scale(cluster, verb, call, target, shown)
        case "eviction":
            return posting.evict_pod(cluster, call, target, shown)
        case "binding":
            return posting.bind_pod(cluster, call, target, shown)
        case "token":
            return posting.issue_token(cluster, call, target, shown)
        case _:
            return posting.read_log(cluster, call, target)


def _unconnected(cluster: Cluster, target: Target) -> Failure:
    """Why nothing can be connected to; 404 when there is not even the object."""
    record = cluster.found(target.resource, target.namespace, target.name)
    if target.subresource == "proxy":
        return Failure(503, "ServiceUnavailable", "there is nothing to be proxied to")
    if not part(record.value(), "spec").get("nodeName"):
        return bad_request(f"pod {target.name} does not have a host assigned")
    return bad_request("Upgrade request required: this server has no containers to connect to")


# ------------------------------------------------------------------------------- scale


def _scale(cluster: Cluster, verb: str, call: Call, target: Target, shown: Rendering) -> Answer:
    parent = View(target.resource, cluster.registry)
    resource = body_resource(cluster, target)
    shown = replace(shown, view=View(resource, cluster.registry))
    if verb == "get":
        scaling = Scaling(cluster, target, parent)
        return shown.value(
            scaling.read(
                parent.value(cluster.found(target.resource, target.namespace, target.name))
            )
        )
    kind = "UpdateOptions" if verb == "update" else "PatchOptions"
    media = patch_type(call, target.resource) if verb == "patch" else ""
    options = write_options(call.query, kind, call.user_agent, apply=media == APPLY)
    writing = Writing(cluster, target, options, call)
    scaling = Scaling(cluster, target, parent)
    if verb == "update":
        body = object_of(call, resource, cluster.spec.schemas)
        complain(call, body.problems, options.validation, resource)
        value = scaling.update(writing, body.value)
    else:
        parsed = read_patch(call.body, media, checked=options.validation != "Ignore")
        if media == APPLY:
            complain(call, parsed.complaints(), options.validation)
            value = scaling.apply(writing, parsed.value, resource)
        else:
            value = scaling.patch(writing, Patch(media, parsed.value, resource), parsed)
    return shown.value(value)

"""The verbs that write: create, update and patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .applying import Applying
from .bodies import complain, object_of
from .options import write_options
from .patching import APPLY, Patch, patch_type, read_patch
from .writing import Writing

if TYPE_CHECKING:
    from .answers import Answer
    from .cluster import Cluster
    from .rendering import Rendering
    from .routing import Call, Target

__all__ = ["create", "patch", "update"]


def create(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """POST to a collection."""
    options = write_options(call.query, "CreateOptions", call.user_agent)
    body = object_of(call, target.resource, cluster.spec.schemas)
    complain(call, body.problems, options.validation, target.resource)
    writing = Writing(cluster, target, options, call)
    outcome = writing.create(body.value)
    return rendering.value(outcome.value, 201)


def update(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """PUT to an object or its status."""
    options = write_options(call.query, "UpdateOptions", call.user_agent)
    body = object_of(call, target.resource, cluster.spec.schemas)
    complain(call, body.problems, options.validation, target.resource)
    outcome = Writing(cluster, target, options, call).update(body.value)
    return rendering.value(outcome.value, 201 if outcome.created else 200)


def patch(cluster: Cluster, call: Call, target: Target, rendering: Rendering) -> Answer:
    """PATCH of an object or its status, in any of the four ways."""
    media = patch_type(call, target.resource)
    applying = media == APPLY
    options = write_options(call.query, "PatchOptions", call.user_agent, apply=applying)
    custom = target.resource.custom is not None
    parsed = read_patch(call.body, media, checked=options.validation != "Ignore", custom=custom)
    if applying:
        complain(call, parsed.duplicates, options.validation)
        outcome = Applying(cluster, target, options, call).apply(parsed.value)
    else:
        change = Patch(media, parsed.value, target.resource)
        outcome = Writing(cluster, target, options, call).patch(change, parsed)
    return rendering.value(outcome.value, 201 if outcome.created else 200)

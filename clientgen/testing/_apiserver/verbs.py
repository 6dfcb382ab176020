"""The verbs that write: create, update and patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .applying import Applying
from .patches.patch import APPLY, Patch, patch_type, read_patch
from .requests.bodies import complain, object_of
from .requests.options import write_options
from .writing import Writing

if TYPE_CHECKING:
    from .requests.request_info import RequestInfo
    from .responses.answers import Answer
    from .responses.rendering import Rendering
    from .storage.cluster import Cluster

__all__ = ["create", "patch", "update"]


def create(cluster: Cluster, info: RequestInfo, rendering: Rendering) -> Answer:
    """POST to a collection."""
    options = write_options(info.request, "CreateOptions")
    body = object_of(info.request, info.strategy.codec, cluster.spec.schemas)
    complain(info.request, body.problems, options.validation, info.resource)
    writing = Writing(cluster, info, options)
    outcome = writing.create(body.value)
    return rendering.value(outcome.value, 201)


def update(cluster: Cluster, info: RequestInfo, rendering: Rendering) -> Answer:
    """PUT to an object or its status."""
    options = write_options(info.request, "UpdateOptions")
    body = object_of(info.request, info.strategy.codec, cluster.spec.schemas)
    complain(info.request, body.problems, options.validation, info.resource)
    outcome = Writing(cluster, info, options).update(body.value)
    return rendering.value(outcome.value, 201 if outcome.created else 200)


def patch(cluster: Cluster, info: RequestInfo, rendering: Rendering) -> Answer:
    """PATCH of an object or its status, in any of the four ways."""
    media = patch_type(info.request, info.strategy.codec)
    applying = media == APPLY
    options = write_options(info.request, "PatchOptions", apply=applying)
    codec = info.strategy.codec
    checked = options.validation != "Ignore"
    parsed = read_patch(info.request.body, media, checked=checked, whole=codec.whole_floats)
    if applying:
        complain(info.request, parsed.duplicates, options.validation)
        outcome = Applying(cluster, info, options).apply(parsed.value)
    else:
        change = Patch(media, parsed.value, info.resource)
        outcome = Writing(cluster, info, options).patch(change, parsed)
    return rendering.value(outcome.value, 201 if outcome.created else 200)

"""PATCH of an object or its status, in any of the four ways.

Facts: docs/internals/kubernetes-semantics.md, 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..patches.patch_types import APPLY, Patch, patch_type, read_patch
from ..requests.request_bodies import complain
from ..requests.request_options import write_options
from .apply import Apply
from .update import Update

if TYPE_CHECKING:
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState


def patch(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """PATCH of an object or its status, in any of the four ways."""
    media = patch_type(info.request, info.strategy.codec)
    applying = media == APPLY
    options = write_options(info.request, "PatchOptions", apply=applying)
    codec = info.strategy.codec
    checked = options.validation != "Ignore"
    parsed = read_patch(info.request.body, media, checked=checked, whole=codec.whole_floats)
    if applying:
        complain(info.request, parsed.duplicates, options.validation)
        outcome = Apply(cluster, info, options).apply(parsed.value)
    else:
        change = Patch(media, parsed.value, info.resource)
        outcome = Update(cluster, info, options).patch(change, parsed)
    return rendering.value(outcome.value, 201 if outcome.created else 200)

"""GET of one object.

Facts: docs/internals/kubernetes-semantics.md, 1.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._apimachinery.failures import bad_request

from ..requests.request_options import first
from .read_versions import version_number, when_version

if TYPE_CHECKING:
    from ..requests.api_request import Request
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState


def get(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """One object, not older than the version named."""
    _refuse_export(info.request)

    def answer() -> Answer:
        return rendering.record(cluster.existing(info.resource, info.namespace, info.name))

    version = version_number(first(info.request.query, "resourceVersion"))
    return when_version(cluster.store, version, answer)


def _refuse_export(request: Request) -> None:
    if first(request.query, "export") not in ("", "false", "0"):
        raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")

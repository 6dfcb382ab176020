"""CONNECT: subresources of pods, services and nodes that only a kubelet could serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from clientgen._apimachinery.failures import Failure, bad_request
from clientgen._apimachinery.optional_parts import part

if TYPE_CHECKING:
    from ..requests.request_info import RequestInfo
    from ..responses.rendering import Rendering
    from ..storage.cluster import Cluster

__all__ = ["connect"]


def connect(cluster: Cluster, info: RequestInfo, rendering: Rendering) -> NoReturn:
    """Refuse exec, attach, portforward and proxy.

    Raises:
        Failure: 404 for an object that does not exist, else 400 or 503.
    """
    del rendering
    raise _unconnected(cluster, info)


def _unconnected(cluster: Cluster, info: RequestInfo) -> Failure:
    """Return the refusal of a connection; 404 if the object does not exist."""
    record = cluster.existing(info.resource, info.namespace, info.name)
    if info.subresource == "proxy":
        return Failure(503, "ServiceUnavailable", "there is nothing to be proxied to")
    if not part(record.value(), "spec").get("nodeName"):
        return bad_request(f"pod {info.name} does not have a host assigned")
    return bad_request("Upgrade request required: this server has no containers to connect to")

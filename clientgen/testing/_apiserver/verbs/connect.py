"""CONNECT: subresources of pods, services and nodes that only a kubelet could serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure, bad_request
from clientgen._gvk import GroupVersionKind
from clientgen._json import part
from clientgen.runtime._conditions.pods import FINAL_PHASES
from clientgen.runtime._streams.channels import SUBPROTOCOLS
from clientgen.runtime._streams.port_channels import SUBPROTOCOL

from ..admission import CONNECT, Attributes, chain_of
from ..requests.request_options import boolean, first
from ..responses.answers import Response, plain_text
from .logs import container_of
from .proxy_subresource import WHERE_TO_DECLARE, proxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer, Upgrade
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """What a client of exec or attach wants."""

    action: str
    namespace: str
    pod: str
    container: str
    command: tuple[str, ...]
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


@dataclass(frozen=True, slots=True)
class PortRequest:
    """What a client of portforward wants. In a tunnel, it tells the ports later."""

    namespace: str
    pod: str
    ports: tuple[int, ...] = ()


def connect(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """Connect exec, attach, portforward and proxy to what a test has declared.

    Raises:
        Failure: 404 for an object that does not exist, else 400 or 503.
    """
    del rendering
    if chain_of(cluster).is_active:
        _check_admission(cluster, info)
    if info.subresource in _PROCESSES:
        return _process(cluster, info)
    if info.subresource == "portforward":
        return _forwarded(cluster, info)
    return proxy(cluster, info)


_PROCESSES: Final = ("exec", "attach")


def _process(cluster: ClusterState, info: RequestInfo) -> Response | Upgrade:
    """Open the process that a client asks for.

    Raises:
        Failure: There is no such pod or container, no test has declared it, or the client does not
            ask for a WebSocket that the server speaks.
    """
    pod = cluster.existing(info.resource, info.namespace, info.name).value()
    options = _options(info)
    container = container_of(pod, options.get("container", ""))
    request = ProcessRequest(
        info.subresource,
        info.namespace,
        info.name,
        container,
        tuple(options.get("command", ())),
        *(bool(options.get(name)) for name in _STREAMS),
    )
    subprotocol = _subprotocol(info, pod, SUBPROTOCOLS)
    if refused := _refused(info, pod, f'container not found ("{container}")'):
        return refused
    opener = cluster.open_process
    opened: Upgrade | None = None if opener is None else opener(request, subprotocol)
    if opened is None:
        raise _undeclared(pod, request)
    _check_spoken(info)
    return opened


def _forwarded(cluster: ClusterState, info: RequestInfo) -> Response | Upgrade:
    """Open connections to ports of a pod.

    Raises:
        Failure: There is no such pod, no test has declared its containers, or the client does not
            ask for a WebSocket that the server speaks.
    """
    pod = cluster.existing(info.resource, info.namespace, info.name).value()
    subprotocol = _subprotocol(info, pod, _PORT_SUBPROTOCOLS, TUNNEL)
    ports = tuple(_options(info).get("ports", ()))
    if subprotocol != TUNNEL and not (ports and all(0 < port <= _MAX_PORT for port in ports)):
        raise bad_request("ports must be numbers from 1 to 65535")
    if refused := _refused(info, pod, f'pod not found ("{info.name}_{info.namespace}")'):
        return refused
    opener = cluster.open_ports
    request = PortRequest(info.namespace, info.name, ports[:_MAX_PORTS])
    opened: Upgrade | None = None if opener is None else opener(request, subprotocol)
    if opened is None:
        raise _unscheduled(pod) or bad_request(
            f"nothing says what listens on the ports of pod {info.name}:"
            f' cluster.container("{info.namespace}/{info.name}").port(number, address),'
            f" {WHERE_TO_DECLARE}"
        )
    _check_spoken(info)
    return opened


TUNNEL: Final = "SPDY/3.1+portforward.k8s.io"
"""kubectl's: a connection of SPDY in the messages of a WebSocket."""
_PORT_SUBPROTOCOLS: Final = (SUBPROTOCOL, TUNNEL)
_MAX_PORT: Final = 65535
_MAX_PORTS: Final = 100


_NO_WEBSOCKET: Final = "Upgrade request required: this server speaks WebSockets, not SPDY"


def _subprotocol(
    info: RequestInfo, pod: dict[str, Any], spoken: Sequence[str], of_spdy: str = ""
) -> str:
    """Return the subprotocol of a connection; empty if the client asks for none, as it may.

    `of_spdy` is returned for SPDY, which is refused later: undeclared containers are reported
    first, because after any refusal kubectl asks again by SPDY, and shows only that answer.

    Raises:
        Failure: The client asks for no upgrade, or for none of the subprotocols.
    """
    headers = info.request.headers
    upgrade = headers.get("upgrade", "").lower()
    if upgrade.startswith("spdy/"):
        return of_spdy
    if upgrade != "websocket":
        raise _unscheduled(pod) or bad_request(_NO_WEBSOCKET)
    if not headers.get("sec-websocket-protocol", "").strip():
        return ""
    offered = [each.strip() for each in headers.get("sec-websocket-protocol", "").split(",")]
    chosen = next((each for each in spoken if each in offered), "")
    if not chosen:
        known = ", ".join(spoken)
        raise bad_request(f"none of the subprotocols is known; this server speaks {known}")
    return chosen


def _check_spoken(info: RequestInfo) -> None:
    """Refuse a connection that could be made, but not by SPDY.

    Raises:
        Failure: The client asks for SPDY.
    """
    if info.request.headers.get("upgrade", "").lower() != "websocket":
        raise bad_request(_NO_WEBSOCKET)


def _refused(info: RequestInfo, pod: dict[str, Any], ended: str) -> Response | None:
    """Return the refusal of a kubelet, in plain text; `ended` is its word for a pod that has ended.

    It gets the headers of the request, and its routes name no media type.
    """
    accepted = info.request.headers.get("accept", "") or "*/*"
    if not any(each.partition(";")[0].strip() == "*/*" for each in accepted.split(",")):
        return plain_text(406, "406: Not Acceptable\n\nAvailable representations: ")
    if part(pod, "status").get("phase") in FINAL_PHASES:
        return plain_text(500, ended)
    return None


def _undeclared(pod: dict[str, Any], request: ProcessRequest) -> Failure:
    return _unscheduled(pod) or bad_request(
        f"nothing says what {request.action} does in container {request.container}:"
        f' cluster.container("{request.namespace}/{request.pod}").on_{request.action}(function),'
        f" {WHERE_TO_DECLARE}"
    )


def _unscheduled(pod: dict[str, Any]) -> Failure | None:
    """Return the refusal to connect to a pod without a node; None if it has one."""
    if part(pod, "spec").get("nodeName"):
        return None
    return bad_request(f"pod {pod['metadata']['name']} does not have a host assigned")


_KINDS: Final = {
    ("pods", "attach"): "PodAttachOptions",
    ("pods", "exec"): "PodExecOptions",
    ("pods", "portforward"): "PodPortForwardOptions",
    ("pods", "proxy"): "PodProxyOptions",
    ("services", "proxy"): "ServiceProxyOptions",
    ("nodes", "proxy"): "NodeProxyOptions",
}
_STREAMS: Final = ("stdin", "stdout", "stderr", "tty")


def _check_admission(cluster: ClusterState, info: RequestInfo) -> None:
    """Let admission refuse the connection; its object is the options of the connection."""
    kind = GroupVersionKind("", "v1", _KINDS[info.resource.plural, info.subresource])
    attributes = Attributes(
        cluster=cluster,
        request=info.request,
        strategy=info.strategy,
        operation=CONNECT,
        resource=info.resource,
        kind=kind,
        subresource=info.subresource,
        namespace=info.namespace,
        name=info.name,
        object={"kind": kind.kind, "apiVersion": "v1", **_options(info)},
        old_object=None,
        options=None,
        dry_run=False,
    )
    chain_of(cluster).check(attributes)


def _options(info: RequestInfo) -> dict[str, Any]:
    """Return what the query says, as the server reads it into its options."""
    query = info.request.query
    if info.subresource == "proxy":
        path = f"/{info.rest}" if info.rest else first(query, "path")
        return {"path": path} if path else {}
    if info.subresource == "portforward":
        ports = [int(text) for text in query.get("ports", ()) if text.isdecimal()]
        return {"ports": ports} if ports else {}
    options: dict[str, Any] = {}
    for name in _STREAMS:
        if boolean(query, name):
            options[name] = True
    if container := first(query, "container"):
        options["container"] = container
    if info.subresource == "exec" and query.get("command"):
        options["command"] = list(query["command"])
    return options

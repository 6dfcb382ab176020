"""`proxy` of pods and services: requests that are passed on to what a test has declared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from clientgen._apimachinery.failures import Failure, bad_request
from clientgen._json import part, parts
from clientgen.runtime._recipes.forward_targets import pod_port
from clientgen.runtime.errors import OperationRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..storage.cluster_state import ClusterState

WHERE_TO_DECLARE: Final = "in a test, or in a function for `clientgen serve --setup`"
"""Names the calls that declare containers, for messages."""

_NAME: Final = re.compile(r"(?:(https?|):)?([^:]*)(?::([^:]*))?").fullmatch
_PATH: Final = re.compile(r"/api/v1/(?:namespaces/[^/]+/)?[a-z]+/[^/]+/proxy(/.*)?").fullmatch
# These belong to the connection, or to the API server.
_OWN_HEADERS: Final = frozenset(
    {"authorization", "connection", "content-length", "host", "transfer-encoding", "upgrade"}
)


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """A request for a port of a pod."""

    namespace: str
    pod: str
    port: int
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


def _name_and_port(name: str) -> tuple[str, str]:
    """Return the name and the port of what is to be asked: of `[scheme:]name[:port]`.

    Raises:
        Failure: It is not spelled so.
    """
    match = _NAME(name)
    if match is None:
        raise bad_request(f'invalid proxy request "{name}"')
    return match[2], match[3] or ""


def proxy(cluster: ClusterState, info: RequestInfo) -> Answer:
    """Pass a request on.

    Raises:
        Failure: 404 for an object that does not exist; 503 if nobody listens there.
    """
    name, port = _name_and_port(info.name)
    value = cluster.existing(info.resource, info.namespace, name).value()
    if info.resource.plural == "nodes":
        raise unreachable("this server has no nodes to connect to")
    is_service = info.resource.plural == "services"
    pod = _endpoint(cluster, info.namespace, value) if is_service else value
    request = info.request
    path = _PATH(request.path)
    query = f"?{urlencode(request.query, doseq=True)}" if request.query else ""
    asked = ProxyRequest(
        namespace=info.namespace,
        pod=pod["metadata"]["name"],
        port=_port(value, pod, port, is_service=is_service),
        method=request.method,
        target=f"{(path and path[1]) or '/'}{query}",
        headers={k: v for k, v in request.headers.items() if k not in _OWN_HEADERS},
        body=request.body,
    )
    opener = cluster.open_proxy
    answer: Answer | None = None if opener is None else opener(asked)
    if answer is None:
        where = f"{asked.namespace}/{asked.pod}"
        raise unreachable(
            f"nothing says what listens on port {asked.port} of pod {asked.pod}:"
            f' cluster.container("{where}").port({asked.port}, address),'
            f" {WHERE_TO_DECLARE}"
        )
    return answer


def unreachable(why: str) -> Failure:
    """Return the refusal of a server that cannot reach the backend."""
    return Failure(503, "ServiceUnavailable", f"error trying to reach service: {why}")


def _endpoint(cluster: ClusterState, namespace: str, service: dict[str, Any]) -> dict[str, Any]:
    """Return a pod of a Service."""
    wanted = part(service["spec"], "selector").items()
    for pod in cluster.list("", "pods", namespace) if wanted else ():
        if wanted <= part(pod["metadata"], "labels").items():
            return pod
    name = service["metadata"]["name"]
    raise Failure(503, "ServiceUnavailable", f'no endpoints available for service "{name}"')


def _port(value: dict[str, Any], pod: dict[str, Any], port: str, *, is_service: bool) -> int:
    if not port:
        field = "port" if is_service else "containerPort"
        of_pod = (each for c in parts(pod["spec"], "containers") for each in parts(c, "ports"))
        ports = parts(value["spec"], "ports") if is_service else of_pod
        port = str(next((each[field] for each in ports), 80))
    wanted = int(port) if port.isdecimal() else port
    obj = {**value, "kind": "Service" if is_service else "Pod"}
    try:
        return pod_port(obj, pod, wanted, value["metadata"]["name"])
    except OperationRefused as error:
        raise unreachable(str(error)) from None

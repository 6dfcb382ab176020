"""Forwards local ports to Services and workloads, as `kubectl port-forward service/web`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._conditions.causes import PODS
from .._conditions.json_fields import text
from .._recipes.forward_targets import (
    FORWARDED,
    FORWARDED_MESSAGE,
    best_pod,
    check_target_port,
    pod_port,
    pod_selector,
)
from .._recipes.rollouts import resource_of
from .._streams.port_channels import check_port
from .port_forward import AsyncPortForward, PodPort
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from .._models.unstructured import Object
    from .lease_client import AsyncClient


def port_forward(
    k: AsyncClient,
    target: type[Object] | Object,
    name: str | None = None,
    *,
    port: int | str,
    local_port: int = 0,
    namespace: str | None = None,
) -> AsyncPortForward:
    """Forward a local port to a Pod of a Service or workload, until the block ends.

        async with port_forward(k, Service, "db", port=5432, namespace="shop") as local_port:
            connection = await asyncpg.connect(host="127.0.0.1", port=local_port)

    The Pod is running, and ready if possible. If it can no longer be reached, the next connection
    uses another Pod.

    Args:
        k: The clientset, or its `rest`.
        target: A Service, Deployment, ReplicaSet, StatefulSet or DaemonSet; or the class, followed
            by the name.
        name: The name, if `target` is a class.
        port: The number or name of a port of the Service or of the Pods.
        local_port: The local port; 0 for any free port.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: When the block begins: no Pod is running, or the port does not exist.
    """
    resource = resource_of(target, "port_forward", FORWARDED, FORWARDED_MESSAGE)
    found = RecipeTarget("port_forward", k, resource, target, name, namespace=namespace)
    finder = _PodOfObject(found, check_target_port(port))
    return AsyncPortForward(found.rest, finder, check_port("local_port", local_port, least=0))


class _PodOfObject:
    """Finds a pod of an object, and keeps using it while it can be reached."""

    def __init__(self, target: RecipeTarget, port: int | str) -> None:
        self._target = target
        self._port = port
        self._found: PodPort | None = None

    async def find(self) -> PodPort:
        """Return the port of the pod.

        Raises:
            ApiError: The object does not exist.
            OperationRefused: No pod is running, or the port does not exist.
        """
        found = self._found
        if found is None:
            found = self._found = await self._find_pod()
        return found

    def lose(self, port: PodPort) -> bool:
        """Note that a pod cannot be reached. Returns True: another pod may be found."""
        if self._found is port:
            self._found = None
        return True

    async def _find_pod(self) -> PodPort:
        target = self._target
        subject, obj = str(target), await target.read()
        pods = any_client(target.rest, PODS, target.namespace)
        found = await pods.list(label_selector=pod_selector(obj, subject))
        pod = best_pod(found.items, subject)
        number = pod_port(obj, pod, self._port, subject)
        name = text(pod, "metadata", "name")
        return PodPort(PODS.object_path(target.namespace, name, "portforward"), number)

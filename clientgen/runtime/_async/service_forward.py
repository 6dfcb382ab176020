"""Ports of Services and workloads on this machine, as `kubectl port-forward service/web`."""

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

__all__ = ["port_forward"]


def port_forward(
    k: AsyncClient,
    target: type[Object] | Object,
    name: str | None = None,
    *,
    port: int | str,
    local_port: int = 0,
    namespace: str | None = None,
) -> AsyncPortForward:
    """Have a local port lead to a Pod of a Service or workload, until the block ends.

        async with port_forward(k, Service, "db", port=5432, namespace="shop") as local_port:
            connection = await asyncpg.connect(host="127.0.0.1", port=local_port)

    The Pod is one that runs, and is ready if one is. When it cannot be reached any more, the next
    connection looks for another one.

    Args:
        k: The clientset, or its `rest`.
        target: A Service, Deployment, ReplicaSet, StatefulSet or DaemonSet; or the class, followed
            by the name.
        name: The name, if `target` is a class.
        port: The port of the Service or of the Pods: its number or its name.
        local_port: The local port; 0 is any free one.
        namespace: The namespace; by default that of the object, or of the client.

    Raises:
        OperationRefused: When the block begins: there is no Pod that runs, or no such port.
    """
    resource = resource_of(target, "port_forward", FORWARDED, FORWARDED_MESSAGE)
    found = RecipeTarget("port_forward", k, resource, target, name, namespace=namespace)
    behind = _PodBehind(found, check_target_port(port))
    return AsyncPortForward(found.rest, behind, check_port("local_port", local_port, least=0))


class _PodBehind:
    """Finds the pod behind an object, and stays with it while it can be reached."""

    def __init__(self, target: RecipeTarget, port: int | str) -> None:
        self._target = target
        self._port = port
        self._found: PodPort | None = None

    async def find(self) -> PodPort:
        """Return the port of the pod.

        Raises:
            ApiError: There is no such object.
            OperationRefused: There is no pod that runs, or no such port.
        """
        found = self._found
        if found is None:
            found = self._found = await self._look()
        return found

    def lose(self, port: PodPort) -> bool:
        """Note that a pod cannot be reached; gives whether to look for another one."""
        if self._found is port:
            self._found = None
        return True

    async def _look(self) -> PodPort:
        target = self._target
        subject, obj = str(target), await target.read()
        pods = any_client(target.rest, PODS, target.namespace)
        found = await pods.list(label_selector=pod_selector(obj, subject))
        pod = best_pod(found.items, subject)
        number = pod_port(obj, pod, self._port, subject)
        name = text(pod, "metadata", "name")
        return PodPort(PODS.object_path(target.namespace, name, "portforward"), number)

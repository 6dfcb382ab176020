"""Controllers as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import assert_type

from kubeapi.core.v1 import Pod, Secret

from clientgen.runtime import Resource
from clientgen.runtime.aio import AsyncController, AsyncPriorityQueue, AsyncSharedInformer
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.sync import Controller, SharedInformer


async def reconcile(request: Request) -> Result | None:
    namespace, name = request
    assert_type(namespace, str)
    assert_type(name, str)
    return Result(requeue_after=30.0)


async def always(_: Request) -> None:
    """Nothing to say is an answer too."""


def plainly(_: Request) -> Result:
    return Result(requeue=True)


def nothing(_: Request) -> None:
    """Nothing to say is an answer too."""


async def wrongly(_: Request) -> float:
    return 30.0


def of_pod(pod: Pod) -> list[Request]:
    return [Request(pod.metadata.namespace, pod.spec.service_account_name or "default")]


async def tasks(pods: AsyncSharedInformer[Pod], secrets: AsyncSharedInformer[Secret]) -> None:
    controller = AsyncController("c", reconcile, workers=4)
    assert_type(controller.for_(pods), AsyncController)
    controller.owns(secrets).owns(pods, Resource("", "v1", "nodes", "Node", namespaced=False))
    controller.watches(pods, of_pod)
    controller.watches(secrets, of_pod)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    controller.watches(secrets, lambda secret: [Request("", secret.metadata.name)])
    assert_type(controller.queue, AsyncPriorityQueue[Request])
    await controller.run()
    AsyncController("c", always)
    AsyncController("c", plainly)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    AsyncController("c", wrongly)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def threads(pods: SharedInformer[Pod]) -> None:
    controller = Controller("c", plainly).for_(pods).watches(pods, of_pod)
    assert_type(controller, Controller)
    controller.run()
    Controller("c", nothing)
    Controller("c", reconcile)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

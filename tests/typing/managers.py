"""Managers as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.batch.v1 import CronJob, Job
from kubeapi.core.v1 import Secret

from clientgen.runtime.aio import (
    AsyncClientsetBase,
    AsyncContext,
    AsyncManager,
    AsyncSharedInformer,
)
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.sync import Context, Manager


async def reconcile(context: AsyncContext[CronJob]) -> Result | None:
    assert_type(context.object, CronJob | None)
    assert_type(context.namespace, str)
    assert_type(context.fenced, AsyncClientsetBase)
    context.log.info("suspended: %s", context.object and context.object.spec.suspend)
    if context.object is not None:
        context.recorder.event(context.object, "Normal", "Seen", "seen")
    return Result(requeue_after=30.0)


async def never(_: AsyncContext[CronJob]) -> None:
    """Nothing to say is an answer too."""


async def wrongly(_: AsyncContext[CronJob]) -> float:
    return 30.0


async def of_request(_: Request) -> None:
    """A function for `AsyncController`."""


def plainly(_: Context[CronJob]) -> Result:
    return Result(requeue=True)


def users(secret: Secret) -> list[Request]:
    return [Request(secret.metadata.namespace, secret.metadata.name)]


async def tasks(k: AsyncClientset, jobs: AsyncSharedInformer[Job]) -> None:
    manager = AsyncManager(k, leader_election="my-operator", metrics=":8080", health=":8081")
    controller = manager.controller("jobs", reconcile, workers=4)
    controller.for_(CronJob).owns(Job).watches(Secret, users)
    controller.owns(jobs).when(lambda event: event.kind != "delete")
    controller.watches(Secret, lambda secret: [Request("", secret.metadata.name)])
    controller.for_(Job)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    controller.for_(jobs)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    controller.watches(Job, users)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    manager.controller("none", never).for_(CronJob)
    manager.controller("plain", plainly)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    manager.controller("wrong", wrongly)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    manager.controller("other", of_request)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(manager.informer(Job), AsyncSharedInformer[Job])
    assert_type(manager.lister(Job).get("shop", "a"), Job)
    manager.add_ready_check("database", lambda: True)
    await manager.run()


def threads(k: Clientset) -> None:
    manager = Manager(k)
    manager.controller("jobs", plainly).for_(CronJob).owns(Job)
    manager.controller("tasks", never)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    manager.run()

"""Bugs in operators made of dependents: what the dependents cannot do for their authors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncExternal, AsyncManager

from .case import WIDGETS, Case, Cloud, add, life, size

# ---- a creation that does not pass on its key ---------------------------------------------------


class Machine(AsyncExternal[Any, str]):
    """The machine of a widget.

    Args:
        cloud: where it is.
        keyed: whether the key is given to the cloud.
    """

    def __init__(self, cloud: Cloud, *, keyed: bool) -> None:
        self.cloud = cloud
        self.keyed = keyed

    async def create(self, primary: Any, key: str) -> str:
        return self.cloud.create(primary.metadata.name, key if self.keyed else None)

    async def read(self, primary: Any, external_id: str) -> str | None:
        return external_id if self.cloud.exists(external_id) else None

    async def delete(self, primary: Any, external_id: str) -> None:
        if self.cloud.exists(external_id):
            self.cloud.delete(external_id)


def machines(*, keyed: bool) -> Callable[..., Any]:
    def program(k: AsyncClientset, cloud: Cloud) -> AsyncManager:
        manager = AsyncManager(k)
        widgets: Any = manager.controller("widgets").for_(manager.informers.unstructured(WIDGETS))
        widgets.workflow(status=True)
        machine = widgets.external("machine", Machine(cloud, keyed=keyed), every=600)

        @widgets.dependent(ConfigMap, after=machine)
        def page(context: AsyncContext[Any]) -> ConfigMap:
            data = {
                "size": str(size(context.primary)),
                "ready": str(bool(context.secondary(machine))),
            }
            return ConfigMap(metadata=ObjectMeta(name=context.name), data=data)

        return manager

    return program


add(
    "external_without_key",
    Case(
        "an external dependent whose creation ignores the key",
        machines(keyed=False),
        machines(keyed=True),
        life,
        {"external": Cloud},
    ),
)

# ---- a name that depends on what this process has seen -------------------------------------------


def pages(*, counted: bool) -> Callable[..., Any]:
    def program(k: AsyncClientset) -> AsyncManager:
        manager = AsyncManager(k)
        widgets: Any = manager.controller("widgets").for_(manager.informers.unstructured(WIDGETS))
        seen: dict[str, int] = {}

        @widgets.dependent(ConfigMap, many=True)
        def parts(context: AsyncContext[Any]) -> list[ConfigMap]:
            number = seen.setdefault(context.primary.metadata.uid, len(seen)) if counted else 0
            return [
                ConfigMap(
                    metadata=ObjectMeta(name=f"{context.name}-{each}"), data={"of": str(number)}
                )
                for each in range(size(context.primary))
            ]

        @widgets.dependent(Secret, after=parts)
        def key(context: AsyncContext[Any]) -> Secret | None:
            names = sorted(context.secondaries(parts))
            metadata = ObjectMeta(name=f"{context.name}-{len(names)}")
            return Secret(metadata=metadata, string_data={"names": " ".join(names)})

        return manager

    return program


add(
    "counted_in_memory",
    Case(
        "a dependent whose content comes from the memory of the process",
        pages(counted=True),
        pages(counted=False),
        life,
    ),
)

"""Dependents, as a type checker sees them."""

from collections.abc import Iterator
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.manifests import DeploymentManifest
from kubeapi.core.v1 import ConfigMap, Secret

from clientgen.runtime.aio import (
    AsyncContext,
    AsyncDependent,
    AsyncDependents,
    AsyncExternal,
    AsyncExternalDependent,
    AsyncManager,
)
from clientgen.runtime.sync import Context, Dependent, Manager


class Machine(AsyncExternal[ConfigMap, int]):
    async def create(self, primary: ConfigMap, key: str) -> str:
        return key

    async def read(self, primary: ConfigMap, external_id: str) -> int | None:
        return len(external_id)

    async def delete(self, primary: ConfigMap, external_id: str) -> None: ...


def tasks(k: AsyncClientset) -> None:
    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        assert_type(context.secondary(web), Deployment | None)
        assert_type(context.secondary(machine), int | None)
        assert_type(context.secondary(Machine), int | None)
        assert_type(context.secondaries(pages), dict[str, ConfigMap])
        context.secondary(pages)  # type: ignore[call-overload]
        context.secondaries(web)  # type: ignore[arg-type]

    maps = AsyncManager(k).controller("maps", reconcile).for_(ConfigMap)
    alone = AsyncManager(k).controller("alone").for_(ConfigMap).workflow(status=True)

    @alone.dependent(Deployment, ready=lambda each: each.spec.replicas, adopt=True)
    async def web(context: AsyncContext[ConfigMap]) -> Deployment | None:
        return Deployment(metadata=context.primary.metadata)

    @maps.dependent(ConfigMap, many=True, after=web, when=lambda each: each.data)
    def pages(context: AsyncContext[ConfigMap]) -> Iterator[ConfigMap]:
        yield context.primary

    def manifest(context: AsyncContext[ConfigMap]) -> DeploymentManifest:
        return {"metadata": {"name": context.name}}

    machine = maps.external("machine", Machine(), every=60, after=[pages, "web", Machine])
    assert_type(machine, AsyncExternalDependent[int])
    assert_type(web, AsyncDependent[Deployment])
    assert_type(pages, AsyncDependents[ConfigMap])
    assert_type(maps.dependent(Deployment, manifest, name="m"), AsyncDependent[Deployment])
    maps.dependent(Secret, web)  # type: ignore[call-overload]


def threads(k: Clientset) -> None:
    maps = Manager(k).controller("maps").for_(ConfigMap)

    @maps.dependent(Secret)
    def key(context: Context[ConfigMap]) -> Secret:
        return Secret(metadata=context.primary.metadata)

    @maps.dependent(Secret)
    def other(context: Context[ConfigMap]) -> None:
        assert_type(context.secondary(key), Secret | None)

    assert_type(key, Dependent[Secret])

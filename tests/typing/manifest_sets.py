"""What type checkers know of manifest sets."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime import ApplySet, ManifestDiff, ManifestSetError, SetResult
from clientgen.runtime.aio import AsyncManifestSet
from clientgen.runtime.conditions import condition, deleted, ready
from clientgen.runtime.models import Model, Unstructured
from clientgen.runtime.sync import ManifestSet


def in_threads(k: Clientset) -> None:
    deploy = k.manifests(Path("deploy"), "kind: X", b"", ConfigMap(), {"kind": "X"}, namespace="x")
    assert_type(deploy, ManifestSet)
    assert_type(k.manifests([Path("a"), ConfigMap(), Unstructured()], strict=False), ManifestSet)
    for obj in deploy:
        assert_type(obj, Model | Unstructured)
    assert_type(deploy.apply(prune=ApplySet("shop"), wait=60), SetResult)
    assert_type(deploy.diff(), ManifestDiff)
    assert_type(deploy.delete(propagation_policy="Foreground"), SetResult)
    assert_type(deploy.wait(ready & condition("Synced"), timeout=5), None)
    deploy.wait(deleted)
    try:
        deploy.apply(force=True)
    except ManifestSetError as error:
        assert_type(error.result, SetResult)
        assert_type([each.where for each in error.failures], list[str])
    result = deploy.apply()
    assert_type([each.outcome == "created" for each in result], list[bool])
    k.manifests(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deploy.apply(prune="shop")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    result.of("made")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def in_asyncio(k: AsyncClientset) -> None:
    deploy = k.manifests(Path("deploy"))
    assert_type(deploy, AsyncManifestSet)
    assert_type(await deploy.apply(), SetResult)
    assert_type(await deploy.diff(prune=ApplySet("shop", kind="ConfigMap")), ManifestDiff)
    assert_type(await deploy.delete(wait=5), SetResult)
    await deploy.wait(ready)

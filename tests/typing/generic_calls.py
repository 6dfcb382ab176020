"""Calls for any kind as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Pod
from kubeapi.meta.v1 import Status
from servicelookup import api as lookups

from clientgen.runtime import MergePatch, Scheme
from clientgen.runtime.aio import AsyncClientsetBase, AsyncWatch
from clientgen.runtime.models import Model, ModelList, Unstructured
from clientgen.runtime.sync import ClientsetBase, Watch
from clientgen.testing import FakeCluster, fake_clientset


def classes_in_and_instances_out(k: Clientset) -> None:
    assert_type(k.get(Deployment, "web", namespace="shop"), Deployment)
    assert_type(k.list(Pod, label_selector={"app": "web"}), ModelList[Pod])
    assert_type(k.each(Pod, namespace="shop", limit=5), Iterator[Pod])
    assert_type(k.watch(Pod), Watch[Pod])
    for pod in k.list(Pod):
        assert_type(pod, Pod)
    assert_type(k.delete(Pod, "web"), Pod | Status)
    assert_type(k.delete_collection(Pod, namespace="shop"), ModelList[Pod] | Status)
    assert_type(k.namespace, str)
    assert_type(k.scheme, Scheme)

    k.get(Pod)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    k.get(Pod, "web", "shop")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    k.get(Pod, "web", limit=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    k.get(Unstructured, "web")  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]


def what_is_no_class(k: Clientset) -> None:
    k.get("pods", "web")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def objects_in_and_objects_out(k: Clientset, deployment: Deployment, thing: Unstructured) -> None:
    assert_type(k.create(deployment, dry_run=True), Deployment)
    assert_type(k.apply(deployment, force=True), Deployment)
    assert_type(k.update(thing), Unstructured)
    assert_type(k.apply({"apiVersion": "v1", "kind": "Pod"}), Model | Unstructured)
    assert_type(k.patch(deployment, MergePatch({})), Deployment)
    assert_type(k.patch(Deployment, "web", MergePatch({})), Deployment)
    assert_type(k.delete(deployment), Deployment | Status)
    assert_type(k.delete(thing, uid="1"), Unstructured | Status)
    k.create(3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    k.delete(Pod)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def edits(k: Clientset, deployment: Deployment) -> None:
    def scale_up(current: Deployment) -> None:
        current.spec.replicas = 3

    def mark(current: Pod) -> None:
        current.metadata.labels["a"] = "b"

    assert_type(k.edit(Deployment, "web", scale_up, namespace="shop"), Deployment)
    assert_type(k.edit(deployment, scale_up), Deployment)
    k.edit(deployment, mark)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]


async def asyncio_is_the_same(k: AsyncClientset, pod: Pod) -> None:
    assert_type(await k.get(Pod, "web"), Pod)
    assert_type(await k.list(Pod), ModelList[Pod])
    assert_type(k.each(Pod), AsyncIterator[Pod])
    assert_type(k.watch(Pod), AsyncWatch[Pod])
    assert_type(await k.apply(pod), Pod)
    assert_type(await k.delete(pod), Pod | Status)


def any_clientset(k: ClientsetBase, other: AsyncClientsetBase) -> None:
    assert_type(k.get(Pod, "web"), Pod)
    assert_type(other.watch(Pod), AsyncWatch[Pod])


def of_tests_and_of_other_packages() -> None:
    k = fake_clientset(Clientset)
    assert_type(k.get(Pod, "web"), Pod)
    lookups.add_to_scheme(k.scheme)
    any_clientset(k, FakeCluster().clientset(lookups.AsyncClientset))


class Own(Clientset):
    def newest(self) -> Pod:
        return max(self.list(Pod), key=lambda pod: pod.metadata.resource_version)

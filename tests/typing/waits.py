"""`wait` as type checkers see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Node, Pod

from clientgen.runtime.conditions import condition, deleted, phase, ready, rolled_out


def is_small(pod: Pod) -> bool:
    return len(pod.spec.containers) == 1


async def waits_of_asyncio_clients(k: AsyncClientset) -> None:
    pods = k.core_v1.pods("shop")
    assert_type(await pods.wait("a", until=condition("Ready"), fail=phase("Failed")), Pod)
    assert_type(await pods.wait("a", until=is_small, timeout=60), Pod)
    assert_type(await pods.wait("a", until=ready & is_small, on_progress=print), Pod)
    assert_type(await pods.wait("a", until=lambda pod: bool(pod.status.pod_ip)), Pod)
    assert_type(await pods.wait("a", until=deleted), Pod | None)
    assert_type(await pods.wait(until=ready, label_selector="app=web"), list[Pod])
    assert_type(await k.core_v1.pods().wait(until=ready), list[Pod])
    assert_type(await k.core_v1.nodes().wait("n1", until=ready), Node)


def waits_of_threads(k: Clientset) -> None:
    deployments = k.apps_v1.deployments("shop")
    assert_type(deployments.wait("web", until=rolled_out), Deployment)
    assert_type(deployments.wait("web", until=deleted), Deployment | None)
    deployments.wait("web", until=is_small)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
    k.core_v1.pods().wait("a", until=ready)  # type: ignore[misc, arg-type]  # pyright: ignore[reportCallIssue]


async def waits_of_any_kind(k: AsyncClientset, pod: Pod) -> None:
    assert_type(await k.wait(Pod, "a", until=ready), Pod)
    assert_type(await k.wait(Pod, "a", until=deleted), Pod | None)
    assert_type(await k.wait(pod, until=is_small), Pod)
    assert_type(await k.wait(pod, until=deleted), Pod | None)
    assert_type(await k.wait(Pod, until=ready, label_selector="app=web"), Sequence[Pod])

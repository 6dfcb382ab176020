"""Verbs of kubectl that write: in both flavours, they leave what kubectl leaves, or refuse, too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Namespace
from kubeapi.meta.v1 import ObjectMeta
from support.kubectl import KUBECTL, Kubectl
from support.verb_cases import CASES, Case

from clientgen.runtime import aio, sync
from clientgen.testing import LocalServer

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")


@pytest.fixture(scope="module")
def kubeconfig() -> Iterator[str]:
    """A kubeconfig that leads to a server."""
    with LocalServer() as server:
        yield server.kubeconfig


@pytest.fixture(scope="module")
def k(kubeconfig: str) -> Iterator[Clientset]:
    with Clientset.from_config(kubeconfig) as made:
        yield made


@pytest.mark.parametrize("case", CASES, ids=[f"{n}: {each}" for n, each in enumerate(CASES)])
def test_a_call_writes_what_kubectl_writes(
    case: Case,
    request: pytest.FixtureRequest,
    kubeconfig: str,
    k: Clientset,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.getbasetemp() / "kubectl-verbs"
    folder.mkdir(exist_ok=True)
    number = CASES.index(case)
    theirs, threads, tasks = (f"{each}-{number}" for each in ("kubectl", "threads", "tasks"))
    for namespace in (theirs, threads, tasks):
        k.create(Namespace(metadata=ObjectMeta(name=namespace)))
        case.set_up(k, namespace)
    before = case.state(k, theirs)

    assert case.run_kubectl(Kubectl(kubeconfig, folder, theirs)) == (case.refusal is None)
    with case.outcome():
        case.call(sync, k.with_(namespace=threads))
    asyncio.run(call_with_tasks(case, kubeconfig, tasks))

    expected = case.state(k, theirs)
    assert case.state(k, threads) == expected
    assert case.state(k, tasks) == expected
    if case.refusal:
        assert expected == before


async def call_with_tasks(case: Case, kubeconfig: str, namespace: str) -> None:
    async with AsyncClientset.from_config(kubeconfig) as k:
        with case.outcome():
            await case.call(aio, k.with_(namespace=namespace))

"""A manager with leader election over three processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clusterkit.managed import ASKS
from clusterkit.together import async_until
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

pytestmark = pytest.mark.cluster

PROGRAM = Path(__file__).parent / "clusterkit" / "managed.py"


@contextmanager
def three(
    kubeconfig: str, namespace: str, flavour: str
) -> Generator[dict[str, subprocess.Popen[bytes]]]:
    """Run three processes of the program, by the names that they write."""
    running = {
        name: subprocess.Popen([sys.executable, PROGRAM, kubeconfig, namespace, name, flavour])
        for name in ("first", "second", "third")
    }
    try:
        yield running
    finally:
        for process in running.values():
            process.kill()
            process.wait()


async def answered_by(kube: AsyncClientset, namespace: str, name: str) -> str:
    """Create a config map that asks, and return who answers."""
    meta = ObjectMeta(name=name, annotations={ASKS: "yes"})
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(ConfigMap(metadata=meta))

    async def has_answer() -> bool:
        return (await maps.get(name)).metadata.annotations[ASKS] != "yes"

    await async_until(has_answer)
    return (await maps.get(name)).metadata.annotations[ASKS]


async def test_one_of_three_processes_leads_and_others_take_over(
    kube: AsyncClientset, namespace: str, kubeconfig: str, flavour: str
) -> None:
    with three(kubeconfig, namespace, flavour) as running:
        first = await answered_by(kube, namespace, "a")
        assert await answered_by(kube, namespace, "b") == first  # it still leads

        running[first].send_signal(signal.SIGKILL)
        second = await answered_by(kube, namespace, "c")
        assert second != first

        lease = await kube.coordination_v1.leases(namespace).get("managed")
        assert lease.spec.holder_identity
        running[second].send_signal(signal.SIGTERM)
        assert running[second].wait(30) == 0

        async def is_given_up() -> bool:  # not after it has expired: another has it, or nobody
            now = await kube.coordination_v1.leases(namespace).get("managed")
            return now.spec.holder_identity != lease.spec.holder_identity

        assert await is_given_up()
        third = await answered_by(kube, namespace, "d")
        assert third not in {first, second}
        running[third].send_signal(signal.SIGTERM)
        assert running[third].wait(30) == 0
    lease = await kube.coordination_v1.leases(namespace).get("managed")
    assert not lease.spec.holder_identity

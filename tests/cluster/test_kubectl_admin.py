"""A real server holds the same after calls of administrators as after kubectl's commands.

The names of objects are given, so the cases run one after the other, and clean up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusterkit.scratch import Scratch
from kubeapi import Clientset
from kubeapi.core.v1 import Namespace, ServiceAccount
from kubeapi.meta.v1 import ObjectMeta
from support.admin_cases import CASES, Case, write_files
from support.kubectl import KUBECTL, Kubectl

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(not KUBECTL, reason="kubectl is not here")]


@pytest.fixture(scope="module")
def shop(scratch: Scratch) -> Iterator[Clientset]:
    """A client of a server that has the namespace that cases name."""
    k = scratch.admin
    k.create(Namespace(metadata=ObjectMeta(name="shop", labels=scratch.labels)))
    k.ensure(ServiceAccount(metadata=ObjectMeta(name="default", namespace="shop")))
    yield k
    k.patch(Namespace, "made", {"metadata": {"labels": scratch.labels}})  # a case has made it
    for name in ("shop", "made"):
        scratch.drop(name)


@pytest.fixture
def kubectl(kubeconfig: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    """kubectl, in the folder of the files that cases name."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLIENTGEN_SET", "of the environment")
    monkeypatch.delenv("CLIENTGEN_UNSET", raising=False)
    return Kubectl(kubeconfig, tmp_path, "shop")


@pytest.mark.parametrize("case", CASES.values(), ids=[*CASES])
def test_the_objects_are_those_of_kubectl(
    case: Case, flavour: str, shop: Clientset, kubectl: Kubectl
) -> None:
    if flavour == "asyncio":
        pytest.skip("the cases are for threads")
    expected = left_by(case, shop, lambda: case.run_kubectl(kubectl))
    assert left_by(case, shop, lambda: case.run_ours(shop)) == expected
    assert expected or case.refused


def left_by(case: Case, k: Clientset, act: Callable[[], object]) -> list[Any]:
    """The objects afterwards. They are deleted then."""
    try:
        case.set_up(k)
        act()
        return case.left(k)
    finally:
        for obj in [*case.found(k), *(case.before or [])]:
            k.delete(obj, missing_ok=True, grace_period_seconds=0)

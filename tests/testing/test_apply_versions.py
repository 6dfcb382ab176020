"""Server-side apply of one object in versions of its kind that have other members."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.autoscaling.v2 import HorizontalPodAutoscaler

from clientgen.runtime.errors import ApplyConflict
from clientgen.testing import FakeCluster

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def scaler(version: str, **spec: Any) -> Any:
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"scaleTargetRef": TARGET, **spec},
    }


def metric(name: str, percent: int) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": name, "target": target}}


def stored(k: Clientset) -> tuple[int | None, int, list[tuple[str, int | None]]]:
    spec = k.get(HorizontalPodAutoscaler, "web", namespace="default").spec
    resources = [each.resource for each in spec.metrics if each.resource]
    metrics = [(each.name, each.target.average_utilization) for each in resources]
    return spec.min_replicas, spec.max_replicas, metrics


@pytest.fixture
def k() -> Clientset:
    return FakeCluster().clientset(Clientset)


def test_what_a_manager_no_longer_applies_goes_whatever_version_it_was_in(k: Clientset) -> None:
    old = scaler("v1", minReplicas=2, maxReplicas=3, targetCPUUtilizationPercentage=50)
    k.apply(old, field_manager="a")
    assert stored(k) == (2, 3, [("cpu", 50)])
    k.apply(scaler("v2", maxReplicas=4, metrics=[metric("memory", 60)]), field_manager="a")
    assert stored(k) == (1, 4, [("memory", 60)])  # 1 is the default
    k.apply(old, field_manager="a")
    assert stored(k)[:2] == (2, 3)


def test_what_others_own_in_another_version_is_a_conflict_and_stays(k: Clientset) -> None:
    k.apply(scaler("v1", minReplicas=2, maxReplicas=3), field_manager="a")
    changed = scaler("v2", maxReplicas=5)
    with pytest.raises(ApplyConflict, match=r'conflict with "a": \.spec\.maxReplicas'):
        k.apply(changed, field_manager="b")
    k.apply(changed, field_manager="b", force=True)
    k.apply(scaler("v2", maxReplicas=5, behavior={}), field_manager="b")
    assert stored(k)[:2] == (2, 5)

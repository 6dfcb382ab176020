"""EndpointSlices, Endpoints and PodDisruptionBudgets that are played."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi.meta.v1 import ObjectMeta
from kubeapi.policy.v1 import Eviction
from support.play import NAMESPACE, deployment, objects, one, playing, put, template

from clientgen.runtime.errors import TooManyRequests
from clientgen.testing import FakeCluster

NOW = "2026-01-01T00:00:00Z"


def service(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": NAMESPACE, "labels": {"tier": "front"}},
        "spec": {
            "selector": {"app": "web"},
            "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
            **spec,
        },
    }


def served(replicas: int = 1) -> dict[str, Any]:
    made = template("web")
    made["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": 8080}]
    return deployment(replicas=replicas, template=made)


def slices(cluster: FakeCluster) -> list[dict[str, Any]]:
    return objects(cluster, "endpointslices", "discovery.k8s.io")


def test_endpoint_slice() -> None:
    """A slice has the pods of a Service, with the ports that they have for it."""
    cluster, *_ = playing()
    put(cluster, service())
    [empty] = slices(cluster)
    assert empty["endpoints"] in ([], None)
    put(cluster, served())
    [found], [pod] = slices(cluster), objects(cluster, "pods")

    assert found["metadata"]["name"].startswith("web-")
    assert found["metadata"]["labels"] == {
        "tier": "front",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    assert found["metadata"]["ownerReferences"][0]["kind"] == "Service"
    assert found["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    target = {
        "kind": "Pod",
        "namespace": NAMESPACE,
        "name": pod["metadata"]["name"],
        "uid": pod["metadata"]["uid"],
    }
    assert found["endpoints"] == [
        {
            "addresses": [pod["status"]["podIP"]],
            "conditions": {"ready": True, "serving": True, "terminating": False},
            "targetRef": target,
            "nodeName": "node-1",
        }
    ]
    assert one(cluster, "endpoints", "web")["subsets"] == [
        {
            "addresses": [
                {"ip": pod["status"]["podIP"], "nodeName": "node-1", "targetRef": target}
            ],
            "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
        }
    ]


def test_pods_that_are_not_ready_or_end() -> None:
    """Slices say which pods are ready, and which are ending."""
    cluster, k, _, play = playing(pod_stop=10)
    put(cluster, service())
    put(cluster, served())
    play.pods(NAMESPACE).never_ready()
    [endpoint] = slices(cluster)[0]["endpoints"]
    assert endpoint["conditions"] == {"ready": False, "serving": False, "terminating": False}
    assert "notReadyAddresses" in one(cluster, "endpoints", "web")["subsets"][0]

    play.clear()
    k.apps_v1.deployments(NAMESPACE).delete("web")
    [endpoint] = slices(cluster)[0]["endpoints"]
    assert endpoint["conditions"] == {"ready": False, "serving": True, "terminating": True}
    cluster.settle()
    assert slices(cluster)[0]["endpoints"] in ([], None)


def test_large_services_have_several_slices() -> None:
    """A slice has at most a hundred endpoints."""
    cluster, *_ = playing(nodes=2)
    put(cluster, service())
    put(cluster, served(120))
    assert sorted(len(each["endpoints"]) for each in slices(cluster)) == [20, 100]
    put(cluster, served(5))

    assert [len(each["endpoints"]) for each in slices(cluster)] == [5]


def test_deleted_service() -> None:
    """The slices and the Endpoints of a Service go with it."""
    cluster, k, *_ = playing()
    put(cluster, service())
    k.core_v1.services(NAMESPACE).delete("web")

    assert slices(cluster) == []
    assert objects(cluster, "endpoints") == []


def budget(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": NAMESPACE},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
    }


@pytest.mark.parametrize(
    ("spec", "desired", "allowed"),
    [
        ({"minAvailable": 2}, 2, 2),
        ({"minAvailable": "50%"}, 2, 2),
        ({"maxUnavailable": 1}, 3, 1),
        ({"maxUnavailable": "25%"}, 3, 1),
        ({"minAvailable": 5}, 5, 0),
    ],
)
def test_disruption_budget(spec: dict[str, Any], desired: int, allowed: int) -> None:
    """A budget knows how many of its pods have to be there, and how many may go."""
    cluster, *_ = playing()
    put(cluster, budget(**spec))
    put(cluster, deployment(replicas=4))

    assert one(cluster, "poddisruptionbudgets", "web", "policy")["status"] == {
        "observedGeneration": 1,
        "disruptionsAllowed": allowed,
        "currentHealthy": 4,
        "desiredHealthy": desired,
        "expectedPods": 4,
        "conditions": [
            {
                "type": "DisruptionAllowed",
                "status": "True" if allowed else "False",
                "observedGeneration": 1,
                "lastTransitionTime": NOW,
                "reason": "SufficientPods" if allowed else "InsufficientPods",
                "message": "",
            }
        ],
    }


def test_evictions_respect_budgets() -> None:
    """A pod may be evicted when enough others are ready, and not before."""
    cluster, k, clock, _ = playing(pod_start=10)
    put(cluster, budget(minAvailable=1))
    put(cluster, deployment(replicas=2))
    cluster.settle()
    first, second = (each["metadata"]["name"] for each in objects(cluster, "pods"))
    pods = k.core_v1.pods(NAMESPACE)
    pods.evict(first, Eviction(metadata=ObjectMeta(name=first)))
    with pytest.raises(TooManyRequests):
        pods.evict(second, Eviction(metadata=ObjectMeta(name=second)))

    clock.step(10)
    pods.evict(second, Eviction(metadata=ObjectMeta(name=second)))
    cluster.settle()
    assert not {first, second} & {each["metadata"]["name"] for each in objects(cluster, "pods")}

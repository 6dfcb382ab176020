"""`extract` after real applies: what comes out is what went in, and goes in again."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import extract

pytestmark = pytest.mark.cluster

CONTAINER: dict[str, Any] = {
    "name": "main",
    "image": "example.invalid/none:1",
    "ports": [
        {"containerPort": 80, "protocol": "TCP", "name": "http"},
        {"containerPort": 80, "protocol": "UDP"},
        {"containerPort": 81, "protocol": "TCP"},
    ],
    "env": [{"name": "A", "value": "1"}, {"name": "B"}],
    "args": ["a", "b"],
    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    "securityContext": {"capabilities": {"drop": ["ALL"]}},
}
POD: dict[str, Any] = {
    "automountServiceAccountToken": False,
    "containers": [CONTAINER, {"name": "side", "image": "example.invalid/none:1"}],
    "volumes": [{"name": "data", "emptyDir": {}}],
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "nodeSelector": {"a/b": "c"},
}
MANIFESTS: list[dict[str, Any]] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "labels": {"app": "web"},
            "annotations": {"a.b/c": "d"},
            "finalizers": ["clientgen.example/a"],
        },
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD},
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"app": "web"},
            "ports": [
                {"name": "a", "port": 80, "protocol": "TCP", "targetPort": "http"},
                {"name": "b", "port": 81, "protocol": "TCP", "targetPort": 8081},
            ],
        },
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one"},
        "data": {"a": "", "b": "line\nline\n"},
        "binaryData": {"c": "AAE="},
    },
    {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "web"},
        "spec": {
            "rules": [
                {
                    "host": "a.example",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {
                                    "service": {"name": "web", "port": {"number": 80}},
                                },
                            }
                        ]
                    },
                }
            ]
        },
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "one"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
    },
]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: str(manifest["kind"]))
async def test_what_was_applied_comes_out(
    kube: AsyncClientset, namespace: str, manifest: dict[str, Any]
) -> None:
    placed = {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}
    applied: Any = await kube.apply(placed, field_manager="owner")
    extracted = extract(applied, "owner")
    assert extracted == placed
    again: Any = await kube.apply(extracted, field_manager="owner")
    # A controller may write a status meanwhile.
    assert again.metadata.generation == applied.metadata.generation
    assert extract(again, "owner") == placed
    nothing = extract(applied, "nobody")
    assert {*nothing} == {"apiVersion", "kind", "metadata"}
    if applied.metadata.finalizers:
        await kube.apply(
            {**placed, "metadata": {**placed["metadata"], "finalizers": []}},
            field_manager="owner",
        )


async def test_each_owner_gets_its_own(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.apply({"metadata": {"name": "one"}, "data": {"a": "1", "x": "9"}}, field_manager="a")
    await maps.apply({"metadata": {"name": "one"}, "data": {"b": "2", "x": "9"}}, field_manager="b")
    stored: ConfigMap = await maps.patch("one", {"data": {"c": "3"}}, field_manager="c")
    assert extract(stored, "a").get("data") == {"a": "1", "x": "9"}
    assert extract(stored, "b").get("data") == {"b": "2", "x": "9"}
    assert "data" not in extract(stored, "c")  # patched, not applied
    mine = extract(stored, "a")
    mine["data"] = {"a": "5"}
    changed = await maps.apply(mine, field_manager="a")
    assert changed.data == {"a": "5", "b": "2", "c": "3", "x": "9"}


async def test_a_status_is_extracted_by_itself(kube: AsyncClientset, namespace: str) -> None:
    budgets = kube.policy_v1.pod_disruption_budgets(namespace)
    spec: Any = {"minAvailable": 1, "selector": {"matchLabels": {"clientgen-test": "none"}}}
    await budgets.apply({"metadata": {"name": "one"}, "spec": spec}, field_manager="owner")
    condition: Any = {
        "type": "clientgen.example/Seen",
        "status": "True",
        "reason": "Test",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    stored = await budgets.apply_status(
        {"metadata": {"name": "one"}, "status": {"conditions": [condition]}},
        field_manager="owner",
        force=True,
    )
    status = extract(stored, "owner", "status")
    assert status.get("status") == {"conditions": [condition]}
    assert "spec" not in status
    assert "status" not in extract(stored, "owner")

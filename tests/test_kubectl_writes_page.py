"""docs/guides/kubectl-writes.md: every snippet is run, in order, against a cluster that plays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.autoscaling.v2 import HorizontalPodAutoscaler
from kubeapi.batch.v1 import Job
from kubeapi.core.v1 import Namespace, Node, Pod, Service
from kubeapi.meta.v1 import ObjectMeta

from clientgen.testing import FakeClock, FakeCluster

PAGE = Path(__file__).resolve().parents[1] / "docs/guides/kubectl-writes.md"
OLD = {"name": "OLD", "value": "1"}


def template(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [*containers], **spec}}


def made(api_version: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def web() -> dict[str, Any]:
    containers = {"name": "app", "image": "web:1", "env": [OLD]}, {"name": "proxy", "image": "p:1"}
    selector = {"matchLabels": {"app": "web"}}
    spec = {"replicas": 2, "selector": selector, "template": template(*containers)}
    return made("apps/v1", "Deployment", "web", spec=spec)


def nightly() -> dict[str, Any]:
    pods = template({"name": "report", "image": "report:1"}, restartPolicy="Never")
    spec = {"schedule": "@daily", "jobTemplate": {"spec": {"template": pods}}}
    return made("batch/v1", "CronJob", "nightly", spec=spec)


def test_every_snippet_does_what_the_page_says() -> None:
    shop = Namespace(metadata=ObjectMeta(name="shop"))
    node = Node(metadata=ObjectMeta(name="node-1"))
    cluster = FakeCluster(node, shop, clock=FakeClock(), seed=1)
    cluster.play(pod_start=1, advance=True)
    k = cluster.clientset(Clientset)
    settings = made("v1", "ConfigMap", "settings", data={"log-level": "debug"})
    names: dict[str, Any] = {"k": k, "Deployment": Deployment, "Pod": Pod}
    names |= {"web": k.create(web()), "nightly": k.create(nightly())}
    names["settings"] = k.create(settings)
    k.create(made("v1", "ServiceAccount", "robot"))
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 7
    for snippet in found:
        exec(compile(snippet, str(PAGE), "exec"), names)
    assert [each.metadata.name for each in k.list(Service, namespace="shop")] == ["web"]
    assert k.get(Job, "now", namespace="shop").metadata.owner_references[0].name == "nightly"
    assert k.get(HorizontalPodAutoscaler, "web", namespace="shop").spec.max_replicas == 10
    assert not k.get(Node, "node-1").spec.taints

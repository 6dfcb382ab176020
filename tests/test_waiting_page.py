"""docs/guides/waiting.md: every snippet is run, in order, against a cluster that plays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.batch.v1 import Job
from kubeapi.core.v1 import Namespace, Node, Pod, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.models import from_dict
from clientgen.testing import FakeClock, FakeCluster

PAGE = Path(__file__).resolve().parents[1] / "docs/guides/waiting.md"
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {containers: [{name: main, image: shop}]}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: report, namespace: shop}
spec:
  backoffLimit: 0
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: shop}]}
"""


def snippets() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_every_snippet_does_what_the_page_says():
    secret = Secret(metadata=ObjectMeta(name="registry", namespace="shop"), data={"a": b"1"})
    namespaces = [Namespace(metadata=ObjectMeta(name=each)) for each in ("shop", "web")]
    node = Node(metadata=ObjectMeta(name="node-1"))
    cluster = FakeCluster(node, *namespaces, secret, clock=FakeClock(), seed=1)
    play = cluster.play(pod_start=10, advance=True)
    names: dict[str, Any] = {
        "k": cluster.clientset(Clientset),
        "play": play,
        "web": from_dict(Deployment, yaml.safe_load(DEPLOYMENT.replace("NAME", "web"))),
        "broken": from_dict(Deployment, yaml.safe_load(DEPLOYMENT.replace("NAME", "broken"))),
        "report": from_dict(Job, yaml.safe_load(JOB)),
    }
    names |= {each.__name__: each for each in (Deployment, ObjectMeta, Pod, Secret)}
    found = snippets()
    assert len(found) > 8
    for snippet in found:
        exec(compile(snippet, str(PAGE), "exec"), names)
    k: Clientset = names["k"]
    assert k.core_v1.secrets("web").get("registry").data == {"a": b"1"}
    assert names["evicted"]
    assert not k.core_v1.nodes().get("node-1").spec.unschedulable

"""The snippets of the guides run, in the order of their page, against a server over HTTP.

A page is one program: its blocks share their names, as for a reader who types them one after the
other. Both checkers read it, too (tests/test_checks.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubeapi import Clientset

from clientgen.testing import FakeCluster, LocalServer

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/index.md", "docs/guides/client.md")
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

OBJECTS = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Namespace
metadata: {name: bank}
---
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: shop}
stringData: {token: s3cret}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec: {nodeName: node-1, containers: [{name: web, image: web}]}
status: {phase: Running, podIP: 10.0.0.1}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: report, namespace: shop}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: report, image: busybox}]}
"""
SEEDS = {"README.md": JOB, "docs/index.md": POD, "docs/guides/client.md": POD}
FOLDER = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    """A cluster with what the pages assume, and a kubeconfig with their contexts."""
    cluster = FakeCluster()
    cluster.apply_manifests(OBJECTS)
    cluster.play()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "settings.yaml").write_text(FOLDER)
    monkeypatch.chdir(tmp_path)
    with LocalServer(cluster) as running:
        config = tmp_path / "kubeconfig"
        config.write_text(with_contexts(Path(running.kubeconfig).read_text()))
        monkeypatch.setenv("KUBECONFIG", str(config))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield running


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run(page: str, server: LocalServer):
    names: dict[str, object] = {"__name__": "guide"}
    server.cluster.apply_manifests(SEEDS[page])
    try:
        for block, line in snippets(page):
            code = compile("\n" * line + block, page, "exec")
            exec(code, names)
    finally:
        for value in names.values():
            if isinstance(value, Clientset):
                value.close()


def snippets(page: str) -> Iterator[tuple[str, int]]:
    """The Python blocks of a page, and the line before each."""
    text = (ROOT / page).read_text("utf-8")
    if page == "README.md":  # its other sections have tests of their own
        end = text.index("\n## Generate clients")
        text = text[:end]
        first = text.index("\n## Scripts")
    else:
        first = 0
    for match in FENCE.finditer(text, first):
        yield match[1], text.count("\n", 0, match.start(1))


def with_contexts(kubeconfig: str) -> str:
    import yaml

    config = yaml.safe_load(kubeconfig)
    [context] = config["contexts"]
    context["context"]["namespace"] = "shop"
    for name in ("staging", "production"):
        config["contexts"].append({**context, "name": name})
    return yaml.safe_dump(config)

"""docs/guides/manifest-sets.md: every snippet is run, in order, against a server over HTTP."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clientgen.testing import FakeCluster, LocalServer

PAGE = Path(__file__).resolve().parents[1] / "docs/guides/manifest-sets.md"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

FOLDER = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
"""


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/web.yaml").write_text(FOLDER)
    cluster = FakeCluster()
    cluster.play()
    monkeypatch.chdir(tmp_path)
    blocks = FENCE.findall(PAGE.read_text())
    with LocalServer(cluster) as server:
        monkeypatch.setenv("KUBECONFIG", server.kubeconfig)
        names: dict[str, Any] = {}
        printed: list[str] = []
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
            printed.append(capsys.readouterr().out)
        names["k"].close()
    assert len(blocks) == 10
    assert printed[0].endswith("configmap/settings created\ndeployment.apps/web created\n")
    assert "+  colour: blue\n" in printed[0]
    assert printed[1] == "ConfigMap settings\nDeployment web\nConfigMap flags\n"
    assert printed[2] == "configmap/settings unchanged\ndeployment.apps/web unchanged\n"
    assert printed[6] == "\n"
    assert printed[4] == f"{printed[2]}\n"
    assert printed[7].endswith("configmap/flags pruned\n")
    assert printed[8] == ""
    assert printed[9] == "deployment.apps/web deleted\nconfigmap/settings deleted\n"

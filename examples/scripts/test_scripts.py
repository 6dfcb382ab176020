"""The scripts run against a server in memory that plays workloads, and print what they should."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path
from signal import SIGINT
from typing import Any

import pytest
from kubeapi import Clientset

from clientgen.testing import FakeCluster, LocalServer

HERE = Path(__file__).parent
NODES = """
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {baz: old}}
"""
METRICS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: unapproved in tests}
spec:
  group: metrics.k8s.io
  scope: SCOPE
  names: {plural: PLURAL, kind: KIND}
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
USAGE = """
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetrics
metadata: {name: node-1}
usage: {cpu: 250m, memory: 1Gi}
---
apiVersion: metrics.k8s.io/v1beta1
kind: PodMetrics
metadata: {name: web-0, namespace: default}
containers: [{name: web, usage: {cpu: 5m, memory: 20Mi}}]
"""


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster()
    cluster.apply_manifests(NODES)
    cluster.play()
    with LocalServer(cluster) as running:
        yield running


@pytest.fixture
def k(server: LocalServer) -> Iterator[Clientset]:
    with Clientset.from_config(server.kubeconfig) as clientset:
        yield clientset


def environment(server: LocalServer, cache: Path) -> dict[str, str]:
    return {**os.environ, "KUBECONFIG": server.kubeconfig, "XDG_CACHE_HOME": str(cache)}


def run(server: LocalServer, script: str, *arguments: str, cache: Path) -> list[str]:
    """The lines that a script prints."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        for name, value in environment(server, cache).items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", [script, *arguments])
        run_path(str(HERE / script), run_name="__main__")
    return printed.getvalue().splitlines()


def start(server: LocalServer, script: str, cache: Path) -> subprocess.Popen[str]:
    """Start a script in a process of its own."""
    command = [sys.executable, "-W", "error", "-u", str(HERE / script)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment(server, cache), **pipes)


def test_apply_folder(server: LocalServer, tmp_path: Path) -> None:
    lines = run(server, "apply_folder.py", cache=tmp_path)
    assert sorted(lines) == [
        "configmap/web created",
        "deployment.apps/web created",
        "job.batch/report created",
    ]
    assert set(run(server, "apply_folder.py", cache=tmp_path)) == {
        "configmap/web unchanged",
        "deployment.apps/web unchanged",
        "job.batch/report unchanged",
    }


def test_deployment(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "deployment.py", cache=tmp_path) == [
        "created   3 replicas",
        "updated   nginx:1.29",
        "scaled to 5",
        "restarted",
        "deleted",
    ]


def test_job(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "job.py", cache=tmp_path)[0] == "succeeded: 1"


def test_cron_job(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "cron_job.py", cache=tmp_path) == ["hello */5 * * * * True"]


def test_ingress(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    assert run(server, "ingress.py", cache=tmp_path)[0].endswith(" created")
    [rule] = k.networking_v1.ingresses("default").get("web").spec.rules
    assert rule.host == "web.example.com"


def test_custom_resource(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    lines = run(server, "custom_resource.py", cache=tmp_path)
    assert lines[:2] == ["first a.example.com Random", "second b.example.com RoundRobin"]
    assert [line.split()[0] for line in lines[2:5]] == ["NAME", "first", "second"]
    assert not k.apiextensions_v1.custom_resource_definitions().list().items


def test_watch_pods(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    for number in range(10):
        k.core_v1.pods("default").create(
            {
                "metadata": {"name": f"web-{number}"},
                "spec": {"containers": [{"name": "web", "image": "web"}]},
            }
        )
    lines = run(server, "watch_pods.py", cache=tmp_path)
    assert [line.split()[0] for line in lines] == ["ADDED"] * 10
    assert lines[0].split()[1:] == ["default", "web-0", "Running"]


def test_node_labels(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    run(server, "node_labels.py", cache=tmp_path)
    labels = k.core_v1.nodes().get("node-1").metadata.labels
    assert labels["foo"] == "bar"
    assert "baz" not in labels


def test_annotate_deployment(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    run(server, "annotate_deployment.py", "web", cache=tmp_path)
    annotations = k.apps_v1.deployments("default").get("web").metadata.annotations
    assert annotations["example.com/team"] == "shop"


def test_rollouts(server: LocalServer, tmp_path: Path) -> None:
    lines = run(server, "rollout_stateful_set.py", cache=tmp_path)
    assert lines == ["revisions [1, 2]", "back to redis:8"]
    lines = run(server, "rollout_daemon_set.py", cache=tmp_path)
    assert lines == ["revisions [1, 2]", "back to agent:1"]


def test_rolling_restart(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    [line] = run(server, "rolling_restart.py", cache=tmp_path)
    assert line.startswith("web {'kubectl.kubernetes.io/restartedAt': '20")
    assert k.apps_v1.deployments().list().items == []


def test_several_clusters(server: LocalServer, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    [context] = re.findall(r"current-context: (\S+)", Path(server.kubeconfig).read_text())
    [line] = run(server, "several_clusters.py", context.strip('"'), cache=tmp_path)
    assert "web-" in line


def test_api_discovery(server: LocalServer, tmp_path: Path) -> None:
    lines = run(server, "api_discovery.py", cache=tmp_path)
    assert any(line.startswith("deployments apps/v1 True Deployment create,") for line in lines)


def test_metrics(server: LocalServer, tmp_path: Path) -> None:
    for plural, kind, scope in (
        ("nodes", "NodeMetrics", "Cluster"),
        ("pods", "PodMetrics", "Namespaced"),
    ):
        text = METRICS.replace("PLURAL", plural).replace("KIND", kind).replace("SCOPE", scope)
        server.cluster.apply_manifests(text)
    server.cluster.apply_manifests(USAGE)
    assert run(server, "metrics.py", cache=tmp_path) == [
        "node-1 250m 1Gi",
        "web-0 web 5m 20Mi",
    ]


def test_pick_context(server: LocalServer, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    [context] = re.findall(r"current-context: (\S+)", Path(server.kubeconfig).read_text())
    shown, *pods = run(server, "pick_context.py", context.strip('"'), cache=tmp_path)
    assert shown == f"[{context.strip(chr(34))!r}]"
    assert {line.split("\t")[1] for line in pods} == {"default"}


def test_config_map_and_service(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    assert run(server, "config_map.py", cache=tmp_path) == [
        "settings {'app.json': '{}', 'web.cnf': '[web]\\nport = 80\\n'}",
        "{'app.json': '[]', 'web.cnf': '[web]\\nport = 80\\n'}",
    ]
    assert run(server, "service.py", cache=tmp_path) == ["default web", "[8080]"]
    assert run(server, "timeouts.py", cache=tmp_path) == ["{'hello': 'world'}"]
    assert k.core_v1.config_maps("default").get("settings", default=None) is None
    assert not k.core_v1.services("default").list(field_selector="metadata.name=web").items


def test_replication_controller(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    created, head, row, *_ = run(server, "replication_controller.py", cache=tmp_path)
    assert created == "replicationcontroller/web created"
    assert head.split()[:2] == ["NAME", "DESIRED"]
    assert row.split()[:2] == ["web", "2"]
    assert not k.core_v1.replication_controllers().list().items


def test_namespaced_custom_resource(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    lines = run(server, "namespaced_custom_resource.py", cache=tmp_path)
    assert [line.split()[-1] for line in lines[:5]] == ["created"] * 5
    assert [line.split()[:2] + line.split()[-1:] for line in lines[5:]] == [
        ["one", "one", "'Random'}"],
        ["two", "two", "'WeightedLeastRequest'}"],
    ]
    assert not k.apiextensions_v1.custom_resource_definitions().list().items
    assert k.core_v1.namespaces().get("one", default=None) is None


def test_custom_object(server: LocalServer, tmp_path: Path) -> None:
    server.cluster.apply_manifests(
        METRICS.replace("metrics.k8s.io", "stable.example.com")
        .replace("v1beta1", "v1")
        .replace("PLURAL", "crontabs")
        .replace("KIND", "CronTab")
        .replace("SCOPE", "Namespaced")
    )
    assert run(server, "custom_object.py", cache=tmp_path) == [
        "{'cronSpec': '0 3 * * *'}",
        "{'cronSpec': '0 4 * * *'}",
        "{'team': 'ops'}",
    ]


def test_watch_namespaces(server: LocalServer, tmp_path: Path) -> None:
    for number in range(10):
        text = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: n{number}}}\n---\n"
        text += f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web-{number}, namespace: n0}}\n"
        text += "spec: {containers: [{name: web, image: web}]}\n"
        server.cluster.apply_manifests(text)
    lines = run(server, "watch_namespaces.py", cache=tmp_path)
    assert lines[:2] == ["ADDED default", "ADDED kube-node-lease"]
    assert [line.split()[:2] for line in lines[10:]] == [["ADDED", "Pod"]] * 10


def test_logs(server: LocalServer, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    lines = run(server, "pod_logs.py", cache=tmp_path)
    assert "web fake logs" in lines
    lines = run(server, "follow_logs.py", "0.5", cache=tmp_path)
    assert [re.sub(r"-\w+-\w+/", "/", line) for line in lines] == ["[web/web] fake logs"] * 2


def test_pod_exec(server: LocalServer, tmp_path: Path) -> None:
    def shell(process: Any) -> int:
        if len(process.command) > 1:
            process.stdout.write("to stdout\n")
            process.stderr.write("to stderr\n")
            return 0
        while line := process.stdin.readline():
            process.stdout.write(b"me\n" if line == b"whoami\n" else line.removeprefix(b"echo "))
        return 0

    server.cluster.container("default/busybox").on_exec(shell)
    assert run(server, "pod_exec.py", cache=tmp_path) == [
        "to stdout",
        " b'to stderr\\n'",
        "echo hello b'hello\\n'",
        "whoami b'me\\n'",
    ]


def test_port_forward(server: LocalServer, tmp_path: Path) -> None:
    def answer(connection: Any) -> None:
        connection.readline()
        connection.write(b"HTTP/1.0 200 OK\r\n\r\nwelcome")

    server.cluster.container("default/nginx").port(80, answer)
    assert run(server, "port_forward.py", cache=tmp_path) == ["200 welcome"]


def test_debug_logging(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    _, log = start(server, "debug_logging.py", tmp_path).communicate(timeout=60)
    assert "POST" in log
    assert "hello" in log
    assert k.core_v1.config_maps("default").get("debug").data == {"hello": "world"}


def test_informer(server: LocalServer, tmp_path: Path) -> None:
    process = start(server, "informer.py", tmp_path)
    try:
        assert process.stdout
        assert process.stdout.readline().strip() == "0 pods"
        run(server, "apply_folder.py", cache=tmp_path)
        assert process.stdout.readline().startswith("ADDED web-")
    finally:
        process.send_signal(SIGINT)
        process.communicate(timeout=60)


def test_every_script_is_tested() -> None:
    scripts = {path.name for path in HERE.glob("*.py")} - {Path(__file__).name}
    tests = Path(__file__).read_text("utf-8")
    assert not {name for name in scripts if f'"{name}"' not in tests}


ROW = re.compile(r"^\| \[(\w+\.py)\].* \| (\d+) \| `.*?: (\d+) \|$", re.MULTILINE)


def test_lines_of_code() -> None:
    """The table has the lines of code, and one that is more than a third says so."""
    text = (HERE / "README.md").read_text("utf-8")
    counted = {name: (int(own), int(theirs)) for name, own, theirs in ROW.findall(text)}
    assert counted.keys() == {path.name for path in HERE.glob("*.py")} - {Path(__file__).name}
    assert {name: own for name, (own, _) in counted.items()} == {
        name: lines_of_code(HERE / name) for name in counted
    }
    longer = {name for name, (own, theirs) in counted.items() if 3 * own > theirs}
    assert longer == {"apply_folder.py"}


def lines_of_code(path: Path) -> int:
    """The lines that are not blank, comments or docstrings."""
    text = path.read_text("utf-8")
    about = ast.parse(text).body[0].end_lineno or 0
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type not in (*layout, tokenize.ENDMARKER):
            lines |= {*range(token.start[0], token.end[0] + 1)}
    return len([line for line in lines if line > about])

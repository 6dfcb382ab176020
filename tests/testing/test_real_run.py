"""Tests of users that run in memory and on a real API server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kubeapi import Clientset

from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._fake.control_plane import ControlPlane, ControlPlaneError

USERS_TESTS = """
import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from clientgen.runtime.errors import Forbidden


@pytest.mark.parametrize("time", [1, 2])
def test_each_test_has_a_namespace_of_its_own(cluster_under_test, time):
    with cluster_under_test.clientset(Clientset) as k:
        k.create(ConfigMap(metadata=ObjectMeta(name="x")))
        assert len(k.core_v1.config_maps(cluster_under_test.namespace).list().items) == 1


async def use_as_account(cluster):
    cup = {"apiVersion": "shop.example/v1", "kind": "Cup", "metadata": {"name": "a"}}
    async with cluster.clientset(AsyncClientset, service_account="shop/shop") as k:
        await k.apply(cup, namespace=cluster.namespace, field_manager="shop")
        with pytest.raises(Forbidden):
            await k.core_v1.secrets("default").list()


def test_definitions_and_the_rights_of_accounts(cluster_under_test):
    import asyncio

    cluster_under_test.apply_manifests("crd.yaml")
    asyncio.run(use_as_account(cluster_under_test))
    assert cluster_under_test.is_real == IS_REAL
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: cups, kind: Cup}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: shop}
rules: [{apiGroups: [shop.example], resources: [cups], verbs: [patch, create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: shop}
subjects: [{kind: ServiceAccount, namespace: shop, name: shop}]
"""
# Answers as ready over TLS, and tells which flags and which token it got.
SERVER = """
import http.server, ssl, sys

flags = dict(flag.removeprefix("--").split("=", 1) for flag in sys.argv[1:])
token = open(flags["token-auth-file"]).read().split(",")[0]

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_known = self.headers["Authorization"] == f"Bearer {token}"
        self.send_response(200 if is_known else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

server = http.server.HTTPServer((flags["bind-address"], int(flags["secure-port"])), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(flags["tls-cert-file"], flags["tls-private-key-file"])
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def run(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, env=os.environ | env
    )


@pytest.mark.slow
@pytest.mark.parametrize("real", [False, True])
def test_the_same_tests_run_in_memory_and_on_a_cluster(tmp_path: Path, real: bool) -> None:
    (tmp_path / "test_theirs.py").write_text(USERS_TESTS.replace("IS_REAL", str(real)))
    (tmp_path / "crd.yaml").write_text(DEFINITION)
    (tmp_path / "role.yaml").write_text(ROLE)
    cluster = FakeCluster()  # over HTTP it stands for a real one
    with LocalServer(cluster) as server:
        flags = ["--real-kubeconfig", server.kubeconfig] if real else []
        done = run(tmp_path, "--under-rbac", "role.yaml", "--rbac-partial", *flags)
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    created = [str(each) for each in cluster.writes if each.resource == "configmaps"]
    assert len(created) == 2 * real
    namespaces = [each for each in cluster.writes if each.resource == "namespaces"]
    assert [each.verb for each in namespaces].count("delete") == 3 * real


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_a_control_plane_is_started_and_ends_with_the_test(tmp_path: Path) -> None:
    program(tmp_path / "etcd", "#!/bin/sh\nexec sleep 600\n")
    program(tmp_path / "kube-apiserver", f"#!{sys.executable}\n{SERVER}")
    with ControlPlane(tmp_path) as control_plane:
        processes = list(control_plane._processes.values())
        folder = Path(control_plane.kubeconfig).parent
        with Clientset.from_config(control_plane.kubeconfig) as k:
            k.raw("GET", "/readyz")
        assert (folder / "tokens.csv").stat().st_mode & 0o077 == 0
    assert [each.poll() is not None for each in processes] == [True, True]
    assert not folder.exists()


def test_why_a_control_plane_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(ControlPlaneError, match="has no program etcd"):
        ControlPlane(tmp_path)
    program(tmp_path / "etcd", "#!/bin/sh\nexec sleep 600\n")
    program(tmp_path / "kube-apiserver", "#!/bin/sh\necho unknown flag: --bind-address\nexit 1\n")
    control_plane = ControlPlane(tmp_path)
    with pytest.raises(ControlPlaneError, match=r"has ended: unknown flag: --bind-address"):
        control_plane.__enter__()
    assert all(each.poll() is not None for each in control_plane._processes.values())


@pytest.mark.slow
def test_real_without_programs_says_which_are_needed(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text("def test_it(cluster_under_test): ...")
    done = run(tmp_path, "--real", KUBEBUILDER_ASSETS=str(tmp_path))
    assert done.returncode != 0
    assert f"--real: {tmp_path} has no program etcd" in done.stdout
    assert "KUBEBUILDER_ASSETS names the folder of kube-apiserver and etcd" in done.stdout

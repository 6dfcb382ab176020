"""The fixtures as users get them: by installing the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

USERS_TESTS = """
import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from clientgen.testing import FakeClock


@pytest.fixture
def fake_cluster_options():
    return {"clock": FakeClock(), "seed": 1}


@pytest.mark.parametrize("time", [1, 2])
def test_each_test_has_a_cluster_of_its_own(fake_cluster, time):
    k = fake_cluster.clientset(Clientset)
    k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="x")))
    assert isinstance(fake_cluster.clock, FakeClock)


def test_the_server_serves_the_same_cluster(fake_cluster, api_server, kubeconfig):
    assert api_server.cluster is fake_cluster
    with Clientset.from_config(kubeconfig) as k:
        k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="x")))
    assert [str(each) for each in fake_cluster.writes] == ["create configmaps default/x"]


@pytest.fixture
def api_server_options():
    return {"token": "s3cret"}


def test_the_server_has_options(api_server):
    with open(api_server.kubeconfig) as file:
        assert "s3cret" in file.read()
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.mark.slow
def test_users_get_clusters_and_servers(tmp_path: Path):
    tests = USERS_TESTS.replace('{"token": "s3cret"}', '{"tls": True, "token": "s3cret"}')
    (tmp_path / "test_theirs.py").write_text(tests)
    done = run("-W", "error", cwd=tmp_path)
    assert "4 passed" in done.stdout, done.stdout


def test_the_fixtures_say_what_they_are(tmp_path: Path):
    told = run("--fixtures", cwd=tmp_path).stdout
    for name in ("fake_cluster", "fake_cluster_options", "api_server", "kubeconfig"):
        assert f"{name} -- " in told


def test_unused_fixtures_cost_nothing():
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import clientgen.testing._fake.pytest_plugin\n"
        "print(sorted(name for name in set(sys.modules) - before if 'clientgen' not in name))\n"
        "print(sorted(name for name in sys.modules if name.startswith('clientgen')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "[]",
        (
            "['clientgen', 'clientgen._lazy', 'clientgen.testing', 'clientgen.testing._fake', "
            "'clientgen.testing._fake.pytest_plugin']"
        ),
    ], done.stderr

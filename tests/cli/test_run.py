"""`clientgen run`: a program of the user against a server in memory, and what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubeapi
import pytest
from click.testing import CliRunner
from kubeapi.core.v1 import ConfigMap

from clientgen.cli.program import program
from clientgen.runtime.models import ObjectMeta

OPERATOR = """
import kubeapi
from kubeapi.core.v1 import ConfigMap
from clientgen.runtime.{room} import {Async}Context, {Async}Manager

{async_}def reconcile(context: {Async}Context[ConfigMap]) -> None:
    print("seen", context.request, flush=True)

def make_manager(k: kubeapi.{Async}Clientset) -> {Async}Manager:
    manager = {Async}Manager(k)
    manager.controller("maps", reconcile).for_(ConfigMap)
    return manager
"""
BASE = """
from clientgen.runtime.aio import AsyncClientsetBase

def make_manager(k: AsyncClientsetBase): ...
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: shop}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: shop}
subjects:
- {kind: ServiceAccount, namespace: shop, name: shop}
"""


def operator(*, threads: bool = False) -> str:
    words = ("sync", "", "") if threads else ("aio", "Async", "async ")
    return OPERATOR.format(**dict(zip(("room", "Async", "async_"), words, strict=True)))


@contextmanager
def running(folder: Path, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program `shop.py` in a folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "clientgen", "run", "shop", *flags],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_with(process: subprocess.Popen[str], text: str) -> str:
    """Return the next line of a program that contains a text."""
    assert process.stdout is not None
    return next(line.strip() for line in process.stdout if text in line)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [False, True])
def test_an_operator_runs_under_its_role_until_it_is_told_to_stop(
    tmp_path: Path, threads: bool
) -> None:
    (tmp_path / "shop.py").write_text(operator(threads=threads))
    (tmp_path / "role.yaml").write_text(ROLE)
    with running(tmp_path, "--under-rbac", "role.yaml") as process:
        served = line_with(process, "serving")
        with kubeapi.Clientset.from_config(served.partition("KUBECONFIG=")[2]) as k:
            assert line_with(process, "acts as").endswith("ServiceAccount shop/shop")
            k.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="bank")), namespace=_new(k))
        assert line_with(process, "seen bank/a")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0


def _new(k: kubeapi.Clientset) -> str:
    k.core_v1.namespaces().create({"metadata": {"name": "bank"}})
    return "bank"


@pytest.mark.slow
def test_a_changed_file_starts_it_again_beside_the_same_server(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(operator())
    (tmp_path / "a.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    with running(tmp_path, "--reload", "--load", "a.yaml", "--log-format", "json") as process:
        assert line_with(process, "seen default/a")
        (tmp_path / "shop.py").write_text(operator().replace('"seen"', '"noticed"'))
        assert line_with(process, "noticed default/a")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("source", "arguments", "message"),
    [
        ("", [], "shop:make_manager: the module has no attribute 'make_manager'"),
        ("", ["missing"], "there is no module"),
        ("def make_manager(): ...", [], "it takes no clientset"),
        ("def make_manager(k): ...", [], "its first argument has no type of a clientset"),
        ("def make_manager(k: 'Missing'): ...", [], "cannot be found: name 'Missing'"),
        ("import kubeapi\ndef make_manager(k: kubeapi.Clientset): ...", [], "returns NoneType"),
        (
            BASE,
            [],
            "AsyncClientsetBase names no package, and 0 packages are configured",
        ),
        (operator(), ["shop", "--context", "x", "--crd", "crds"], "--crd: it is for the server in"),
        (operator(), ["shop", "--kubeconfig", "missing"], "missing"),
        (operator(), ["shop", "--service-account", "shop"], "--service-account: "),
        (
            operator(),
            ["shop", "--under-rbac", "empty.yaml"],
            "it must bind one ServiceAccount, but it binds none",
        ),
        (operator(), ["shop", "--crd", "missing.yaml"], "missing.yaml"),
    ],
)
def test_what_cannot_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    (tmp_path / "shop.py").write_text(source)
    (tmp_path / "empty.yaml").write_text(ROLE.partition("---")[0])

    result: Any = CliRunner().invoke(program, ["run", *(arguments or ["shop"])])

    assert result.exit_code == 1, result.exception
    assert message in result.output
    assert "Traceback" not in result.output

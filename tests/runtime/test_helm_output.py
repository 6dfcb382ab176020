"""Manifests as programs print them: charts that Helm has rendered, and standard input."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset

from clientgen.runtime import ManifestError
from clientgen.runtime._manifests import manifest_files
from clientgen.testing import FakeCluster

# As `helm template` prints it: a comment per file, empty documents, tests and hooks at the end.
RENDERED = """---
# Source: shop/templates/serviceaccount.yaml
apiVersion: v1
kind: ServiceAccount
metadata:
  name: shop
  labels:
    helm.sh/chart: shop-0.1.0
    app.kubernetes.io/managed-by: Helm
---
# Source: shop/templates/empty.yaml
# {{- if .Values.nothing }}
---
# Source: shop/charts/db/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: shop-db
data:
  init.sql: |
    ---
    select 1;
---
# Source: shop/templates/migrate.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    "helm.sh/hook": pre-install, pre-upgrade
    "helm.sh/hook-weight": "-5"
    "helm.sh/hook-delete-policy": before-hook-creation
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: migrate}]
---
# Source: shop/templates/tests/test-connection.yaml
apiVersion: v1
kind: Pod
metadata:
  name: "shop-test-connection"
  annotations:
    "helm.sh/hook": test
spec:
  containers: [{name: wget, image: busybox}]
"""


@pytest.fixture
def k() -> Any:
    with FakeCluster().clientset(Clientset) as made:
        yield made


def names(objects: Any) -> list[str]:
    return [each.metadata.name for each in objects]


@pytest.mark.parametrize(
    ("hooks", "added"),
    [
        (None, ["migrate", "shop-test-connection"]),
        ((), []),
        ({"pre-upgrade"}, ["migrate"]),
        (["post-delete", "test"], ["shop-test-connection"]),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_hooks_are_taken_by_their_events(
    k: Any, hooks: Any, added: list[str], newline: str
) -> None:
    text = RENDERED.replace("\n", newline)
    assert names(k.manifests(text, helm_hooks=hooks)) == ["shop", "shop-db", *added]


def test_a_chart_is_applied_without_its_hooks(k: Any) -> None:
    result = k.manifests(RENDERED, helm_hooks=()).apply()
    assert str(result) == "serviceaccount/shop created\nconfigmap/shop-db created"
    assert k.manifests(k.scheme.load(RENDERED)[2], helm_hooks=["pre-install"])
    assert not len(k.manifests(k.scheme.load(RENDERED)[2], helm_hooks=["test"]))


@pytest.mark.parametrize(
    ("hooks", "error", "what"),
    [
        ("test", TypeError, "helm_hooks takes a collection of events, not a str"),
        (7, TypeError, "helm_hooks takes a collection of events, not an int"),
        (["pre-instal"], ValueError, "no event 'pre-instal'; did you mean pre-install?"),
        ([7], ValueError, "no event 7; there are pre-install, post-install, "),
    ],
)
def test_wrong_events_are_told(k: Any, hooks: Any, error: type[Exception], what: str) -> None:
    with pytest.raises(error) as raised:
        k.manifests(RENDERED, helm_hooks=hooks)
    assert what in str(raised.value)


def test_what_other_commands_of_helm_print_is_told(k: Any) -> None:
    printed = f"NAME: shop\nLAST DEPLOYED: Wed Nov 25\nHOOKS:\n{RENDERED}NOTES:\n1. Get the URL\n"
    with pytest.raises(ManifestError) as raised:
        k.manifests(printed)
    assert str(raised.value).startswith(
        "the text, document 1, line 1: the manifest has no apiVersion; pass the output of"
        " `helm template`"
    )


# ---- standard input -----------------------------------------------------------------------------


def test_standard_input_is_read(k: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def set_input(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    set_input(RENDERED.encode())
    assert names(k.manifests(Path("-"), helm_hooks=())) == ["shop", "shop-db"]
    set_input(RENDERED.replace("kind: Pod", "kind: Pood").encode())
    with pytest.raises(
        ManifestError, match="standard input, document 4, line 39: the kind v1/Pood"
    ):
        k.scheme.load(Path("-"))
    set_input(b"\xff")
    with pytest.raises(ManifestError, match="standard input: the manifest is not UTF-8 text"):
        k.manifests(Path("-"))
    monkeypatch.setattr(manifest_files, "MAX_TEXT_BYTES", 4)
    set_input(b"a: 12")
    with pytest.raises(ManifestError, match="standard input: there are more than 0 MiB"):
        k.manifests(Path("-"))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ManifestError, match="standard input is closed"):
        k.manifests(Path("-"))


# ---- typos --------------------------------------------------------------------------------------


def test_a_typo_in_a_file_is_told_with_its_line_before_anything_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(RENDERED.replace("restartPolicy", "restartPolcy").replace("\ndata:", "\ndat:"))
    cluster = FakeCluster()
    with cluster.clientset(Clientset) as k, pytest.raises(ManifestError) as raised:
        k.manifests(tmp_path).apply()
    what = (
        (2, 19, "ConfigMap shop-db: dat: ConfigMap", "data"),
        (3, 36, "Job migrate: spec.template.spec.restartPolcy: PodSpec", "restartPolicy"),
    )
    assert str(raised.value).splitlines() == [
        f"{file}, document {number}, line {line}: {where} has no such field; did you mean {meant}?"
        for number, line, where, meant in what
    ]
    assert not cluster.actions

"""Mistakes of those who write tests: each is refused where it is made, and says what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clientgen._apiextensions import libraries
from clientgen.runtime.errors import Conflict
from clientgen.testing import FakeCluster, ManifestError
from clientgen.testing._fake.server_kubeconfig import write_kubeconfig

WIDGETS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {color: {type: string, pattern: "^[a-z]+$"}}
"""


@pytest.mark.parametrize(
    ("message", "mistake"),
    [
        (
            "'udpate' is not a verb; the verbs are get, list",
            lambda c: c.react("udpate", "pods", Conflict),
        ),
        ("'podz': no such resource", lambda c: c.react("get", "podz", Conflict)),
        ("'Pod': no such resource", lambda c: c.fail("get", "Pod", 500)),
        ("'pods.apps': no such resource", lambda c: c.delay(1, "get", "pods.apps")),
        ("'pods/stats': the resource has no such sub", lambda c: c.cut("get", "pods/stats")),
        ("after=-1", lambda c: c.cut("get", "pods", after=-1)),
        ("'podz'", lambda c: c.duplicate_events("podz")),
        ("'podz'", lambda c: c.drop_watches("podz")),
        ("'podz'", lambda c: c.end_watches("podz")),
        ("not 5", lambda c: c.add(5)),
        ("not None", lambda c: c.add(None)),
        ("metadata has to be", lambda c: c.add({"apiVersion": "v1", "kind": "Pod", "metadata": 5})),
    ],
)
def test_misuse_is_refused(message: str, mistake: Callable[[FakeCluster], Any]) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        mistake(FakeCluster())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "resource", ["widgets", "widgets.shop.example.com", "*/status", "*/*", "*"]
)
def test_valid_use_is_accepted(resource: str) -> None:
    FakeCluster(crds=[WIDGETS]).react("*", resource, Conflict)


def test_a_definition_that_cannot_be_served() -> None:
    with pytest.raises(ManifestError, match=r"the text, document 1.*openAPIV3Schema.type.*objet"):
        FakeCluster(crds=[WIDGETS.replace("type: object", "type: objet")])


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    libraries.re2.cache_clear()
    with pytest.raises(ManifestError, match=r"document 1.*google-re2: .*extra 'testing'"):
        FakeCluster(crds=[WIDGETS])


def test_a_single_path_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "widgets.yaml"
    path.write_text(WIDGETS)
    for crds in (path, str(path)):
        assert FakeCluster(crds=crds).server.cluster.registry.is_defined("widgets.shop.example.com")


def test_a_kubeconfig_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "kubeconfig"
    with pytest.raises(OSError, match="kubeconfig") as caught:
        write_kubeconfig(path, "")
    assert caught.value.filename == str(path)

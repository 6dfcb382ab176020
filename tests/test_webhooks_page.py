"""docs/guides/webhooks.md: every snippet is run, in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.reviews import UID, response_of
from support.tls_files import Connection, MountedSecret

PAGE = Path(__file__).resolve().parents[1] / "docs/guides/webhooks.md"


CRD = """
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


def snippets() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_every_snippet_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "certs").mkdir()
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "crontabs.yaml").write_text(CRD)
    secret = MountedSecret(tmp_path / "certs")
    names: dict[str, Any] = {"__name__": "page"}
    found = snippets()
    assert len(found) == 6
    for snippet in found:
        exec(compile(snippet, str(PAGE), "exec", dont_inherit=True), names)

    told, _, manifests = capsys.readouterr().out.partition("apiVersion")
    assert "denied the request: spec.schedule needs five fields" in told
    printed = list(yaml.safe_load_all(f"apiVersion{manifests}"))
    assert [each["kind"] for each in printed] == [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ]
    assert names["crd_patch"].name == "crontabs.stable.example.com"

    obj = {"apiVersion": "stable.example.com/v1beta1", "kind": "CronTab", "schedule": "@daily"}
    request = {"uid": UID, "desiredAPIVersion": "stable.example.com/v1", "objects": [obj]}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": request,
    }
    monkeypatch.setattr(names["webhooks"], "_address", "127.0.0.1:0")
    with names["webhooks"] as webhooks:
        connection = Connection(webhooks.url, secret.client_context)
        answer = connection.send("/convert", names["json"].dumps(body).encode())
        connection.close()
    [converted] = response_of(answer)["convertedObjects"]
    assert converted["spec"] == {"schedule": "@daily"}

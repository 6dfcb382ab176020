"""The guides to sources of packages: what they generate, and the programs that use it."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubeapi
import pytest
from click.testing import CliRunner
from support.inlined_types import custom_resource, inlined

from clientgen.cli.program import program
from clientgen.runtime.errors import Invalid
from clientgen.testing import FakeCluster, LocalServer

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ROOT / "docs/guides"
FENCE = re.compile(r"^```(python|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CRONTABS = """
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
      subresources:
        scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {cronSpec: {type: string}, replicas: {type: integer, format: int32}}
            status:
              type: object
              properties: {replicas: {type: integer, format: int32}}
"""
SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: colours, namespace: shop}
data: {sky: blue}
"""
PACKAGES = ("myops", "crons", "workerapi")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    """A server with the namespace shop, and a folder for a project whose kubeconfig leads there."""
    cluster = FakeCluster()
    cluster.apply_manifests("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()  # Python remembers folders that do not exist
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.syspath_prepend(tmp_path)
    with LocalServer(cluster) as running:
        monkeypatch.setenv("KUBECONFIG", running.kubeconfig)
        yield running
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]


def blocks(page: str, language: str) -> list[str]:
    text = (GUIDES / f"{page}.md").read_text("utf-8")
    return [block for name, block in FENCE.findall(text) if name == language]


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def run(command: str) -> None:
    result = CliRunner().invoke(program, command.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_a_package_from_definitions(server: LocalServer) -> None:
    server.cluster.apply_manifests(CRONTABS)
    write("deploy/crds/crontabs.yaml", CRONTABS)
    write(
        "vendor/issuers.yaml", CRONTABS.replace("crontabs", "issuers").replace("CronTab", "Issuer")
    )
    write("clientgen.toml", blocks("crds", "toml")[0])
    run("generate")
    names: dict[str, Any] = {"__name__": "page"}
    exec(blocks("crds", "python")[0], names)
    with names["Clientset"].from_config() as k:
        assert k.stable_v1.cron_tabs("shop").get("nightly").spec.replicas == 3


def test_a_package_from_python_types(
    server: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    module, client, *_ = blocks("python-types", "python")
    write("myops/__init__.py", "")
    write("myops/v1.py", module)
    write("clientgen.toml", blocks("python-types", "toml")[0])
    run("generate")
    run("crd --output crds")
    server.cluster.apply_manifests("crds")
    server.cluster.apply_manifests(
        "{apiVersion: stable.example.com/v1, kind: CronTab, metadata: {name: nightly, "
        "namespace: shop}, spec: {cronSpec: 0 3 * * *}}"
    )
    exec(client, {"__name__": "page"})
    assert capsys.readouterr().out == "0 3 * * *\n"


def test_unions_of_models(server: LocalServer) -> None:
    *_, types, use = blocks("python-types", "python")
    write("probes.py", types)
    run("crd --types probes --output crds")
    run("generate --types probes --package probeapi --output .")
    server.cluster.apply_manifests("crds")
    probes, api = importlib.import_module("probes"), importlib.import_module("probeapi")
    names = vars(probes).copy()
    exec(use, names)
    target = {"type": "Tcp", "port": 80}
    probe = {"metadata": {"name": "a"}, "spec": {"target": target, "password": {"text": "b"}}}
    with api.Clientset.from_config() as k:
        client = k.example_v1.probes("shop")
        client.apply(probe)
        spec = client.get("a").spec
        assert (names["shown"](spec), spec.password) == ("port 80", probes.FromText(text="b"))
        target["url"] = "c"
        with pytest.raises(Invalid, match='may only be specified when `type` is "Http"'):
            client.apply(probe)


def test_two_packages_together(server: LocalServer) -> None:
    template = inlined("io.k8s.api.core.v1.PodTemplateSpec")
    definition = custom_resource("workers.example.com", "Pool", {"template": template})
    server.cluster.apply_manifests(json.dumps(definition))
    write("config/crd/pools.json", json.dumps(definition))
    write("deploy/settings.yaml", SETTINGS)
    write("pyproject.toml", blocks("several-packages", "toml")[0])
    run("generate")
    one, two, three, _ = blocks("several-packages", "python")
    names: dict[str, Any] = {"__name__": "page"}
    exec(one, names)
    with kubeapi.Clientset.from_config() as k:
        names["workerapi"] = importlib.import_module("workerapi")
        names["workerapi"].add_to_scheme(k.scheme)
        k.create(names["pool"])
    exec(two, names)
    exec(three, names)
    assert names["pool"].spec.template.spec.containers[0].image == "web:1"
    assert server.cluster.clientset(kubeapi.Clientset).core_v1.config_maps("shop").get("colours")

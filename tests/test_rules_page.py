"""docs/guides/rules.md: the types become a module, the commands are run, and every snippet."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from clientgen.cli.program import program
from clientgen.generator.crds.rule_places import placed, policies

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/guides/rules.md").read_text("utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the module of the page."""
    (tmp_path / "myops").mkdir()
    (tmp_path / "myops/__init__.py").write_text("")
    (tmp_path / "myops/v1.py").write_text(SNIPPETS[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "myops"]:
        del sys.modules[name]


def run(command: str) -> Result:
    return CliRunner().invoke(program, shlex.split(command)[1:])


def module(path: Path) -> ModuleType:
    """A snippet as a module of the disk, since the source of rules is read from there."""
    found = ModuleType("page")
    exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), vars(found))
    return found


def test_the_page_is_true(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.search(r"^\$ (clientgen crd .*)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)
    assert block is not None
    told = run(block[1])
    assert (told.exit_code, told.stdout) == (0, block[2])
    command = re.search(r"^    (clientgen rules .*)", PAGE, re.MULTILINE)
    assert command is not None
    told = run(command[1])
    assert (told.exit_code, told.stdout) == (0, "deploy/policies.yaml: written\n")
    assert told.stderr == block[2].partition("\n")[2]
    assert run(f"{command[1]} --check").stdout == "deploy/policies.yaml: up to date\n"

    names: dict[str, Any] = {"__name__": "page"}
    for snippet in SNIPPETS[1:3]:
        exec(compile(snippet, "rules.md", "exec", dont_inherit=True), names)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    for line, wanted in zip(
        lines,
        (
            "spec.schedule: Invalid value: spec.schedule needs five fields",
            "0 3 * * * keeps no history",
            "only admins suspend a CronTab",
            "denied the request: spec.schedule must be in lower case",
        ),
        strict=True,
    ):
        assert wanted in line
    stored, k = names["stored"], names["k"]
    with pytest.raises(names["Invalid"], match="zones cannot be removed"):
        k.edit(names["CronTab"], "nightly", lambda tab: tab.spec.zones.clear(), namespace="default")
    assert stored.spec.zones == ["a"]

    path = project / "deployments.py"
    path.write_text(SNIPPETS[3])
    place = placed(module(path).highly_available, None)
    policy, binding = policies([place], {})
    assert policy["metadata"]["name"] == "highly-available.deployments.apps"
    cluster = names["cluster"]
    cluster.add(policy, binding)
    web = yaml.safe_load(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default},"
        " spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata:"
        " {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1'}]}}}}"
    )
    kind = module(path).Deployment
    good = k.scheme.load(yaml.safe_dump(web))[0]
    assert isinstance(good, kind)
    k.create(good)
    good.metadata.name, good.spec.template.spec.containers[0].image = "db", "web"
    with pytest.raises(names["Invalid"], match="two replicas and images with a tag"):
        k.create(good)

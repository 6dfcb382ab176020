"""docs/guides/other-projects.md: its commands make packages, and its programs use them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.imports import importable
from support.run_folders import RunFolders

from clientgen import __version__
from clientgen.generator.distribution import runtime_requirement
from clientgen.testing import FakeCluster, LocalServer

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples/other_projects"
PAGE = ROOT / "docs/guides/other-projects.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in FENCE.finditer(PAGE.read_text("utf-8"))]
(CONFIGURATION,) = (text for kind, text in BLOCKS if kind == "toml")
PROGRAMS = [text for kind, text in BLOCKS if kind == "python"]


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_packages(folder: Path) -> None:
    """Run the commands of the page: one package by flags, all of them by the configuration."""
    shutil.copytree(EXAMPLE / "crds", folder / "crds")
    commands = next(text for kind, text in BLOCKS if not kind).splitlines()
    generate, build = map(shlex.split, commands)
    assert generate[:2] == ["clientgen", "generate"]
    run(sys.executable, "-m", "clientgen", *generate[1:], cwd=folder)
    assert build[:3] == ["python", "-m", "build"]
    run(sys.executable, *build[1:], "--no-isolation", "--wheel", cwd=folder)
    by_flags = (folder / "clients/cert-manager/pyproject.toml").read_text()
    (folder / "clientgen.toml").write_text(CONFIGURATION)
    told = run(sys.executable, "-m", "clientgen", "generate", cwd=folder)
    assert len(told.splitlines()) == 4
    # Flags and configuration say the same.
    assert (folder / "clients/cert-manager/pyproject.toml").read_text() == by_flags
    run(sys.executable, "-m", "clientgen", "verify", "--quiet", cwd=folder)


@pytest.fixture(scope="module")
def folder(run_folders: RunFolders) -> Path:
    return run_folders.get("other-projects", make_packages)


def test_the_example_has_the_configuration_of_the_page():
    assert tomllib.loads((EXAMPLE / "clientgen.toml").read_text()) == tomllib.loads(CONFIGURATION)
    assert {path.name for path in (EXAMPLE / "crds").iterdir()} == {
        each["crd"].removeprefix("crds/")
        for each in tomllib.loads(CONFIGURATION)["packages"].values()
    }


def test_a_wheel_requires_the_runtime_and_the_package_that_it_uses(folder: Path):
    (wheel,) = (folder / "clients/cert-manager/dist").glob("*.whl")
    assert wheel.name == "certmanager_client-1.21.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        metadata = BytesParser().parsebytes(archive.read(name))
        assert "certmanager/py.typed" in archive.namelist()
    kubeapi = tomllib.loads((ROOT / "generated/pyproject.toml").read_text())["project"]
    needed = {Requirement(each) for each in metadata.get_all("Requires-Dist") or ()}
    runtime = Requirement(runtime_requirement(__version__))
    assert needed == {runtime, Requirement(f"clientgen-kubeapi>={kubeapi['version']}")}


def test_the_programs_of_the_page_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    cluster = FakeCluster(crds=folder / "crds")
    cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "page"}
    with importable(sorted((folder / "clients").iterdir())), LocalServer(cluster) as server:
        monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig))
        for number, program in enumerate(PROGRAMS):
            exec(compile(program, f"{PAGE.name}[{number}]", "exec"), names)
        tests = [each for name, each in names.items() if name.startswith("test_")]
        assert len(tests) == 1
        for test in tests:
            assert callable(test)
            test()
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["Issuer", "web [] None"]
    assert 'spec.privateKey.algorithm: Unsupported value: "DSA"' in told[2]
    assert told[3].startswith("report-")
    assert told[4:] == ["prometheusrule.monitoring.coreos.com/shop created", "shop ['ShopIsDown']"]
    written = [action.resource for action in cluster.writes]
    assert set(written) == {"certificates", "httproutes", "workflows", "prometheusrules"}

"""docs/tutorial/own-types.md: the way from a class to a client, as a reader walks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PAGE = Path(__file__).resolve().parents[1] / "docs/tutorial/own-types.md"
REFUSED = """
from crons.stable.v1 import CronTab

from clientgen.runtime.models import ObjectMeta

bare = CronTab(metadata=ObjectMeta(name="a"))
"""
WITHOUT_A_SPEC = """
import pytest
from crons import Clientset
from crons.stable.v1 import CronTab, CronTabSpec

from clientgen.runtime.errors import Invalid
from clientgen.runtime.models import ObjectMeta, to_dict
from clientgen.testing import fake_clientset

BARE = {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "old"}}


def test_nobody_makes_one():
    with pytest.raises(TypeError, match="CronTab needs 'spec'"):
        CronTab(metadata=ObjectMeta(name="old"))

    tabs = fake_clientset(Clientset, crds=["crds"]).stable_v1.cron_tabs("default")
    with pytest.raises(Invalid, match="spec: Required value"):
        tabs.apply(BARE)
    with pytest.raises(Invalid, match="spec.schedule: Required value"):
        tabs.apply({**BARE, "spec": {}})
    assert not tabs.list().items


def test_an_old_one_stops_no_informer():
    k = fake_clientset(Clientset, crds=["older"])
    tabs = k.stable_v1.cron_tabs("default")
    stored = tabs.apply(BARE)
    with k.informers() as factory:
        informer = factory.stable_v1.cron_tabs()
        factory.start()
        factory.wait_for_sync(timeout=60)
        assert [tab.spec.schedule for tab in informer.lister.list()] == [""]

    stored.metadata.labels["seen"] = "yes"
    tabs.update(stored)  # its schedule would be refused if it were sent
    tabs.edit("old", lambda tab: tab.metadata.labels.update(twice="yes"))
    assert "spec" not in to_dict(tabs.get("old"))

    tabs.edit("old", lambda tab: setattr(tab.spec, "schedule", "0 3 * * *"))
    assert tabs.get("old").spec == CronTabSpec(schedule="0 3 * * *")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has after the two commands."""
    folder = tmp_path_factory.mktemp("own_types")
    types, commands, test = re.findall(r"```\w*\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (folder / "crontabs.py").write_text(types)
    (folder / "test_crontabs.py").write_text(test)
    for line in commands.splitlines():
        program, *arguments = line.split()
        assert program == "clientgen"
        run(folder, "clientgen", *arguments)
    return folder


@pytest.mark.slow
def test_three_minutes_are_enough(project: Path):
    run(project, "pytest", "-q", "-p", "no:cacheprovider", "test_crontabs.py")


@pytest.mark.slow
def test_there_is_no_object_without_a_spec(project: Path):
    [manifest] = (project / "crds").iterdir()
    definition = yaml.safe_load(manifest.read_text())
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema.pop("required") == ["spec"]
    (project / "older").mkdir()
    (project / "older" / manifest.name).write_text(yaml.safe_dump(definition))
    (project / "test_specs.py").write_text(WITHOUT_A_SPEC)

    run(project, "pytest", "-q", "-p", "no:cacheprovider", "test_specs.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("checker", "complaint"),
    [
        (["mypy", "--strict"], 'error: Missing named argument "spec" for "CronTab"'),
        (
            ["pyright", "--pythonpath", sys.executable],
            'error: Argument missing for parameter "spec"',
        ),
    ],
    ids=["mypy", "pyright"],
)
def test_checkers_refuse_an_object_without_a_spec(
    project: Path, checker: list[str], complaint: str
):
    (project / "refused.py").write_text(REFUSED)
    done = subprocess.run(
        [sys.executable, "-m", *checker, "refused.py"],
        cwd=project, capture_output=True, text=True, timeout=120,
    )  # fmt: skip

    complaints = [line for line in done.stdout.splitlines() if " error: " in line]
    assert len(complaints) == 1, done.stdout
    assert complaint in complaints[0]
    assert "refused.py:6" in complaints[0]


def run(folder: Path, module: str, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

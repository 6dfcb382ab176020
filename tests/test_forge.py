"""The files of .github: what they name exists, and they grant no more than they need."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (FORGE / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")


def load(path: Path) -> dict[str, Any]:
    read = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(read, dict)
    return read


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in load(workflow)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_grants_nothing_by_default(workflow: Path):
    read = load(workflow)
    assert read["permissions"] == {"contents": "read"}
    assert read["name"] == workflow.stem
    for name, job in read["jobs"].items():
        granted = job.get("permissions", {})
        assert "write" not in granted.values() or name == "publish"
        # What may write runs nothing of the checkout.
        assert not granted or all("checkout" not in step.get("uses", "") for step in job["steps"])
    for step in steps(workflow):
        action, _, version = step.get("uses", "a@v1").partition("@")
        assert re.fullmatch(r"v\d+|release/v1", version), action
        if action == "actions/checkout":
            assert step["with"]["persist-credentials"] is False
        # Words of others never become commands.
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_scripts_that_exist(workflow: Path):
    named = re.findall(r"bash (scripts/[\w-]+)", workflow.read_text("utf-8"))
    assert named or workflow.stem == "none"
    # The script for the site comes with its configuration.
    missing = {each for each in named if not (ROOT / each).is_file()}
    assert missing <= (set() if (ROOT / "zensical.toml").exists() else {"scripts/site"})


def test_the_tests_run_on_the_pythons_that_the_package_claims():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    claimed = [
        each.rpartition(" ")[2]
        for each in project["classifiers"]
        if each.startswith("Programming Language :: Python :: 3.")
    ]
    tests = load(FORGE / "workflows/tests.yml")["jobs"]["tests"]
    assert tests["strategy"]["matrix"]["python"] == claimed
    release = steps(FORGE / "workflows/release.yml")
    (setup,) = (step for step in release if "setup-python" in step.get("uses", ""))
    assert sorted(setup["with"]["python-version"].split()) == claimed


def test_the_release_workflow_uses_flags_that_the_script_has():
    text = (FORGE / "workflows/release.yml").read_text("utf-8")
    (flag,) = re.findall(r"scripts/release (--[\w-]+)", text)
    assert f'"{flag}"' in (ROOT / "scripts/releasing/__main__.py").read_text("utf-8")


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_asks_for_what_is_needed(form: Path):
    read = load(form)
    assert read.keys() == {"name", "description", "labels", "body"}
    asked = [each for each in read["body"] if each["type"] != "markdown"]
    assert len({each["id"] for each in asked}) == len(asked)
    assert all(each["attributes"]["label"] for each in asked)
    assert any(each.get("validations", {}).get("required") for each in asked)


def test_code_owners_are_of_files_that_exist():
    lines = (FORGE / "CODEOWNERS").read_text("utf-8").splitlines()
    patterns = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"
    assert [each for each in patterns[1:] if not (ROOT / each.strip("/")).exists()] == []


def test_updates_are_proposed_for_libraries_and_actions():
    updates = load(FORGE / "dependabot.yml")["updates"]
    assert [each["package-ecosystem"] for each in updates] == ["pip", "github-actions"]
    assert all(each["directory"] == "/" for each in updates)


def test_the_files_are_in_version_control():
    listed = subprocess.run(
        ["git", "ls-files", ".github"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {ROOT / line for line in listed.stdout.split()} >= {*WORKFLOWS, *FORMS}

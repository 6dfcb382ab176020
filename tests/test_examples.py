"""The examples run, with warnings as errors, and show what they say they show."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.example_clients import COMMITTED, EXAMPLES, GENERATED, generate_client

pytestmark = pytest.mark.slow


@pytest.mark.slow
def test_the_demo_creates_watches_edits_scales_and_deletes() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "demo.py")], capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        "create     namespace clientgen-demo",
        "create     configmap colours: {'sky': 'blue'}",
        "edit       configmap colours: {'sky': 'grey', 'tree': 'green'}",
        "watch      MODIFIED colours: {'sky': 'grey', 'tree': 'green'}",
        "delete     configmap colours: a get raises NotFound now",
        "create     deployment web, cpu 100m",
        "scale      deployment web to 3",
        "list       deployment web: 3 replicas",
        "delete     deployment web",
        "delete     namespace clientgen-demo",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "tests", "count", "role"),
    [
        (".", "test_reaper.py scripts", 34, ""),
        ("shop", ".", 2, ""),
        (".", "servicelookup", 75, "servicelookup/deploy/role.yaml"),
        ("crontab", ".", 19, "deploy/role.yaml"),
        ("secret_copier", ".", 10, "deploy/role.yaml"),
        ("webapp", ".", 10, "deploy/role.yaml"),
        ("foreign_crd", ".", 35, ""),
        ("conversion", ".", 16, "deploy/role.yaml"),
    ],
)
def test_the_tests_of_the_example_controllers_pass(
    folder: str, tests: str, count: int, role: str
) -> None:
    """Those with a role run under it, and need all of it."""
    for name in {folder, tests} & GENERATED.keys():
        generate_client(name)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    command += ["--under-rbac", role, "--rbac-minimal", role] if role else []
    command += ["--rbac-sources", "."] if role and folder != "." else []
    command += tests.split()
    done = subprocess.run(command, cwd=EXAMPLES / folder, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
    assert f"{count} passed" in done.stdout
    assert not role or f"{role}: everything is needed, and nothing is missing" in done.stdout


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [
        *((name, ["verify"]) for name in COMMITTED),
        ("crontab", ["crd", "--check"]),
        ("conversion", ["crd", "--check"]),
        ("webapp", ["crd", "--check"]),
    ],
)
def test_generated_files_of_examples_are_up_to_date(folder: str, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "clientgen", *arguments]
    done = subprocess.run(command, cwd=EXAMPLES / folder, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr

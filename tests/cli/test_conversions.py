"""`clientgen conversions`: drafts that type-check where versions are equal, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/conversion/proxies"
EQUAL = '''
"""Types of example.com/{version}."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import (
    CustomResource, IntOrString, Literal, Model, Quantity, Raw, Time, auto, field
)


class Part(Model):
    name: Annotated[str, Meta(min_length=1, max_length=5)]
    level: Annotated[int, Meta(ge=1)] | None = None
    code: Annotated[str, Meta(pattern="^[a-z]$")] = "a"


class ThingSpec(Model):
    size: int
    share: float = 0.0
    port: IntOrString | None = None
    at: Time | None = None
    memory: Quantity | None = None
    data: bytes = b""
    on: bool = False
    mode: {mode} = "A"
    free: dict[str, Raw] = field(default_factory=dict)
    part: Part
    other: Part | None = None
    parts: list[Part] = field(default_factory=list)
    by_name: dict[str, Part] = field(default_factory=dict)
    words: list[str] | None = None


class ThingStatus(Model):
    ready: int = 0


# +genclient
# +kubebuilder:subresource:status
{stored}
class Thing(CustomResource, group="example.com", version="{version}"):
    spec: ThingSpec
    status: ThingStatus = auto(ThingStatus)
'''
PROXIES = [
    "TODO(old.host)  # v1beta1 has no field for it",
    "TODO(old.host_port)  # v1 has no field for it",
    "TODO(old.port)  # v1beta1 has no field for it",
    "TODO(old.tls)  # v1beta1 has no field for it",
    "host=TODO,  # v1beta1 has no such field",
    "host_port=TODO,  # v1 has no such field",
    "port=TODO,  # v1beta1 has no such field",
]


def write_equal(mode: str = 'Literal["A"]') -> None:
    package = Path("things")
    package.mkdir()
    (package / "__init__.py").touch()
    old, new = (EQUAL.replace("{stored}", each) for each in ("#", "# +kubebuilder:storageversion"))
    (package / "v1beta1.py").write_text(
        old.replace("{version}", "v1beta1").replace("{mode}", 'Literal["A"]')
    )
    (package / "v1.py").write_text(new.replace("{version}", "v1").replace("{mode}", mode))


def draft(run: Run, package: str) -> str:
    result = run(
        *("conversions", "--types", f"{package}.v1beta1", f"{package}.v1"),
        *("--output", f"{package}/conversions.py", "--test", f"test_{package}.py"),
    )
    assert (result.exit_code, result.stderr) == (0, "")
    return Path(package, "conversions.py").read_text()


def python(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout


@pytest.mark.slow
def test_equal_versions_are_converted_and_others_fail_type_checks(run: Run, here: Path) -> None:
    write_equal()
    assert "TODO" not in draft(run, "things")
    proxies = here / "proxies"
    proxies.mkdir()
    for name in ("__init__.py", "v1.py", "v1beta1.py"):
        (proxies / name).write_text((EXAMPLE / name).read_text())
    lines = draft(run, "proxies").splitlines()
    todo = {number: line.strip() for number, line in enumerate(lines, 1) if "TODO" in line}
    assert sorted(todo.values()) == PROXIES
    files = ("things/conversions.py", "test_things.py", "proxies/conversions.py")
    checked = python("-m", "mypy", "--strict", "--no-error-summary", *files).splitlines()
    errors = [each for each in checked if ": error: " in each]
    assert [each.split(": ", 1)[0] for each in errors] == [
        f"proxies/conversions.py:{number}" for number in todo
    ]
    assert "2 passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_things.py")


def test_a_narrower_type_is_left_to_the_author(run: Run) -> None:
    write_equal(mode='Literal["A", "B"]')
    text = draft(run, "things")
    assert "mode=old.mode," in text
    assert text.count("mode=TODO(old.mode),  # the types differ") == 1


def test_files_that_exist_and_kinds_of_one_version_are_problems(run: Run) -> None:
    write_equal()
    before = draft(run, "things")
    types = ("--types", "things.v1beta1", "things.v1")
    again = run("conversions", *types, "--output", "things/conversions.py")
    assert again.exit_code == 1
    assert again.stderr.startswith("things/conversions.py: it is there already\n")
    assert Path("things/conversions.py").read_text() == before
    alone = run("conversions", "--types", "things.v1", "--output", "x.py")
    assert (alone.exit_code, Path("x.py").exists()) == (1, False)
    assert alone.stderr.startswith("--types: no kind has two versions\n")

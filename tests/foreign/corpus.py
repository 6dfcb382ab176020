"""Definitions of others: generate, import, check, and send samples to and fro.

What fails is printed, a line each. What the API server refuses is counted and is no failure: it
refuses it in a cluster, too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from foreign import checkers
from foreign.projects import Project, projects

__all__ = ["run"]

PACKAGE = "foreign_api"
_MINUTES = 600
_SHOWN = 300
_LONGEST = "longest name"
_PLACE = re.compile(r"^(\S+?\.(?:ya?ml|json)):", re.MULTILINE)


def run(folders: Iterable[Path], work: Path | None, *, checked: bool = True) -> int:
    """Try all projects in folders; the answer is whether anything failed."""
    total: Counter[str] = Counter()
    failed = False
    with ExitStack() as stack:
        kept = work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for project in projects(folders):
            trial = Trial(project, kept.absolute() / project.name)
            trial.run(checked=checked)
            print(f"{project.name}: {_counts(trial.counts)}", flush=True)
            for failure in trial.failures:
                print(f"    {failure}", flush=True)
            longest = max(total[_LONGEST], trial.counts[_LONGEST])
            total.update(trial.counts)
            total[_LONGEST] = longest
            failed |= bool(trial.failures)
    print(f"all: {_counts(total)}")
    return int(failed)


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counts.items())


class Trial:
    """One project: what was counted, and what failed."""

    def __init__(self, project: Project, folder: Path) -> None:
        """Work in a folder, which is made anew."""
        self.project = project
        self.counts: Counter[str] = Counter({"definitions": len(project.definitions)})
        self.failures: list[str] = []
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def run(self, *, checked: bool) -> None:
        """Go through all steps, as far as they lead."""
        if not self._generate():
            return
        self._count_classes()
        if not self._import():
            return
        if checked:
            self._fail("mypy", checkers.mypy(self._folder, PACKAGE))
            self._fail("pyright", checkers.pyright(self._folder, PACKAGE))
        self._send_to_and_fro()

    def _fail(self, step: str, what: Sequence[str]) -> None:
        self.counts[f"{step} failures"] += len(what)
        self.failures += [f"{step}: {' '.join(each.split())[:_SHOWN]}" for each in what]

    def _generate(self) -> bool:
        """Generate from what is not refused; each refusal is told with its reason."""
        left = self._folder / "crds"
        left.mkdir()
        for number, path in enumerate(self.project.definitions):
            shutil.copy(path, left / f"{number:04}-{path.name}")
        stderr = ""
        while [*left.iterdir()]:
            done = self._python("-m", "clientgen", "generate", "--crd", "crds", *_OUTPUT)
            if not done.returncode:
                return True
            stderr = done.stderr
            if "Traceback" in stderr or not self._refuse(stderr):
                break
        self._fail("generate", [stderr[-_SHOWN:]])
        return False

    def _refuse(self, stderr: str) -> bool:
        """Take out the files that problems are about; false if there are none."""
        refused = [file for file in dict.fromkeys(_PLACE.findall(stderr)) if self._is_there(file)]
        for file in refused:
            (self._folder / file).unlink()
            reason = next(line for line in stderr.splitlines() if line.startswith(f"{file}:"))
            print(f"    refused: {reason[:_SHOWN]}")
        self.counts["refused definitions"] += len(refused)
        return bool(refused)

    def _is_there(self, file: str) -> bool:
        return (self._folder / file).is_file()

    def _count_classes(self) -> None:
        names = [name for path in _models(self._folder) for name in _classes(path)]
        self.counts["classes"] = len(names)
        self.counts[_LONGEST] = max(map(len, names), default=0)

    def _import(self) -> bool:
        done = self._python("-c", _IMPORT)
        self._fail("import", [done.stderr[-_SHOWN:]] if done.returncode else [])
        return not done.returncode

    def _send_to_and_fro(self) -> None:
        samples = str(self.project.samples.absolute())
        done = self._python("-m", "foreign.round_trips", PACKAGE, "crds", samples)
        if done.returncode:
            self._fail("round trips", [done.stderr[-_SHOWN:]])
            return
        report: dict[str, Any] = json.loads(done.stdout)
        self.counts.update(report["counts"])
        for step, failures in report["failures"].items():
            self._fail(step, failures)

    def _python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=_MINUTES,
            check=False,
        )


_OUTPUT = ("--package", PACKAGE, "--output", ".")
_IMPORT = f"""
import importlib, pkgutil, msgspec, {PACKAGE}
from clientgen.runtime._models.model import Model
for found in pkgutil.walk_packages({PACKAGE}.__path__, "{PACKAGE}."):
    for each in vars(importlib.import_module(found.name)).values():
        if isinstance(each, type) and issubclass(each, Model) and each.__module__ == found.name:
            msgspec.json.Decoder(each)
"""
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


def _models(folder: Path) -> Iterator[Path]:
    return (folder / PACKAGE).glob("*/*/models*.py")


def _classes(path: Path) -> list[str]:
    return _CLASS.findall(path.read_text(encoding="utf-8"))

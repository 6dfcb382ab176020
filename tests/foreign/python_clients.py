"""Tests of other Python libraries against the server that `clientgen serve` is.

A folder holds the tests, such as `kubernetes/e2e_test` of the official client, which read
KUBECONFIG; the Python that is given has the library. Each test runs by itself, and has a time: what
waits for pods to run waits for ever.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from clientgen.testing import LocalServer

__all__ = ["run"]

_SHOWN = 200
# What docs/guides/test-server.md says that the server does not do, by words in the names of tests.
_KNOWN = {
    "exec": "nothing to connect to",
    "portforward": "nothing to connect to",
    "exit_code": "nothing to connect to",
    "pod_apis": "no pod ever runs",
    "metrics": "no metrics API",
}


def run(folder: Path, python: str, seconds: int) -> int:
    """Run every test in a folder; the answer is whether one failed that is not known to."""
    with LocalServer() as server:
        environment = {**os.environ, "KUBECONFIG": server.kubeconfig}
        environment.pop("PYTHONPATH", None)
        trial = _Trial(folder, python, seconds, environment)
        failures = {test: trial.failure(test) for test in trial.tests()}
    failed = {test: what for test, what in failures.items() if what}
    known = {test: why for test in failed if (why := _known(test))}
    print(f"{folder}: {len(failures)} tests, {len(failed)} failed, {len(known)} of them known")
    for test, what in failed.items():
        print(f"    {test}: {known.get(test, what)}")
    return int(not failures or len(failed) > len(known))


def _known(test: str) -> str:
    return next((f"known: {why}" for words, why in _KNOWN.items() if words in test), "")


class _Trial:
    def __init__(
        self, folder: Path, python: str, seconds: int, environment: dict[str, str]
    ) -> None:
        self._folder = folder.absolute()
        self._python = python
        self._seconds = seconds
        self._environment = environment

    def tests(self) -> list[str]:
        """The names of the tests."""
        done = self._pytest("--collect-only", "-q", str(self._folder))
        if done.returncode:
            raise SystemExit(f"the tests cannot be read: {done.stdout[-_SHOWN:]}{done.stderr}")
        return [line for line in done.stdout.splitlines() if "::" in line]

    def failure(self, test: str) -> str:
        """What is wrong with a test, if it fails."""
        try:
            done = self._pytest("-q", "--tb=short", test)
        except subprocess.TimeoutExpired:
            return f"takes more than {self._seconds} s"
        if not done.returncode:
            return ""
        wrong = [line for line in done.stdout.splitlines() if line.startswith("E ")]
        return " ".join(" ".join(wrong[:3]).split())[:_SHOWN] or "failed"

    def _pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._python, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=self._folder.parent,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=self._seconds,
            check=False,
        )

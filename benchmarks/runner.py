"""Runs processes by turns, and says what they cost."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.envs import DATA, SNAPSHOT, python

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

__all__ = ["Benchmark", "Contender", "Results", "Values", "measure", "served"]

_PATIENCE = 300.0
_HEAVY_RUNS = 2

Values = dict[str, float]
Results = dict[str, Values]
"""By contender: the median of every figure."""


@dataclass(frozen=True)
class Contender:
    """One way to do the work of a benchmark."""

    name: str
    command: tuple[str, ...]
    heavy: bool = False
    """Takes so long that it runs twice only, and not at all when it has to be quick."""
    before: Callable[[], None] | None = None
    """Puts things in place; not measured."""
    after: Callable[[], Values] | None = None
    """Looks at the results; not measured."""


@dataclass(frozen=True)
class Benchmark:
    """Contenders that do the same work."""

    name: str
    title: str
    unit: str
    """s, ms or us"""
    baseline: str
    contenders: tuple[Contender, ...]
    whole: bool = False
    """Measure whole processes; otherwise the processes say what they spent."""
    factor: int = 1
    """How many times as often the baseline and clientgen run; peers are not that close."""
    note: str = ""
    hidden: tuple[str, ...] = ()
    """Figures that say nothing here."""
    problems: dict[str, str] = field(default_factory=dict[str, str])


def measure(benchmark: Benchmark, rounds: int, *, quick: bool) -> Results:
    """Run the contenders by turns; the ratio to the baseline is the median of those by turn."""
    runs: dict[str, list[Values]] = {}
    for turn in range(rounds * benchmark.factor):
        for contender in benchmark.contenders:
            most = rounds * benchmark.factor if _is_close(contender) else rounds
            if contender.heavy:
                most = 0 if quick else min(rounds, _HEAVY_RUNS)
            if turn >= most or contender.name in benchmark.problems:
                continue
            try:
                values = _run(contender, whole=benchmark.whole)
            except RuntimeError as error:
                benchmark.problems[contender.name] = str(error)
                continue
            runs.setdefault(contender.name, []).append(values)
    return {
        name: _summary(values, runs.get(benchmark.baseline, [])) for name, values in runs.items()
    }


def _is_close(contender: Contender) -> bool:
    return contender.name.startswith(("clientgen", "bare", "Python"))


def _summary(run_values: list[Values], baseline: list[Values]) -> Values:
    values = {key: statistics.median(each[key] for each in run_values) for key in run_values[0]}
    ratios = [ours["cpu"] / base["cpu"] for ours, base in zip(run_values, baseline, strict=False)]
    if ratios:
        values["ratio"] = statistics.median(ratios)
    spread = [each["cpu"] for each in run_values]
    return {**values, "fastest": min(spread), "slowest": max(spread), "runs": len(run_values)}


def _run(contender: Contender, *, whole: bool) -> Values:
    if contender.before is not None:
        contender.before()
    values, output = _spend(contender.command)
    if not whole:
        values = json.loads(output.splitlines()[-1])
    if contender.after is not None:
        values |= contender.after()
    return values


def _environment() -> Mapping[str, str]:
    kept = {key: value for key, value in os.environ.items() if key in {"PATH", "HOME", "LANG"}}
    config, cache = str(DATA / "kubeconfig"), str(DATA / "cache")
    return {
        **kept,
        "KUBECONFIG": config,
        "XDG_CACHE_HOME": cache,
        "PYTHONHASHSEED": "0",
        "BENCHMARK_DATA": str(DATA),
    }


def _spend(command: tuple[str, ...]) -> tuple[Values, str]:
    """Run a process; user and system seconds of it and of the processes it waited for."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, cwd=SNAPSHOT, env=_environment()
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            last = [*errors.read().strip().splitlines(), f"exit code {process.returncode}"]
            raise RuntimeError(" / ".join(last[-2:])[:300])
        peak = used.ru_maxrss / 1024
        cpu = used.ru_utime + used.ru_stime
        return {"cpu": cpu, "wall": wall, "peak_mb": peak}, output.read()


@contextmanager
def served() -> Generator[None]:
    """Have the server up; it writes the kubeconfig that names it."""
    (DATA / "kubeconfig").unlink(missing_ok=True)
    command = [python("server"), "-m", "benchmarks.server", str(DATA)]
    with subprocess.Popen(command, cwd=SNAPSHOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline().strip():
                raise RuntimeError("the server did not start")
            yield
        finally:
            process.terminate()


def files_in(folder: Path) -> Values:
    """The Python lines below a folder, and the longest of them."""
    lines = [line for path in folder.rglob("*.py") for line in path.read_text().splitlines()]
    longest = max((len(line) for line in lines), default=0)
    return {"lines": len(lines), "longest": longest}

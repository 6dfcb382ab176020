"""Installs what is compared, measures, prints tables and writes them down."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import envs
from benchmarks.bars import judge
from benchmarks.catalogue import all_benchmarks
from benchmarks.envs import DATA
from benchmarks.plots import PLOT, cpu_plot
from benchmarks.runner import Benchmark, Results, measure, served
from benchmarks.tables import bars_table, machine_lines, table, update_readme

_RESULTS = envs.HERE / "results.json"
_README = envs.HERE / "README.md"


def main() -> int:
    """Run the benchmarks; 1 if clientgen itself failed in one of them."""
    options = _parse()
    benchmarks = all_benchmarks()
    known = {each.name for each in benchmarks}
    if unknown := set(options.only) - known:
        print(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(sorted(known))}")
        return 2
    envs.install()
    if not (DATA / "events.ndjson").exists():
        print("making pods", flush=True)
        # In a process of its own: what this one grew to would count as its children's peak.
        subprocess.run([sys.executable, "-m", "benchmarks.pods", str(DATA)], check=True)
    chosen = [each for each in benchmarks if not options.only or each.name in options.only]
    load = os.getloadavg()[0]
    with served():
        results = {each.name: _measured(each, options) for each in chosen}
    print(bars_table(judge(results)))
    if options.keep:
        _keep(benchmarks, results, load)
    return int(any(name.startswith("clientgen") for each in chosen for name in each.problems))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="two runs, no slow peers")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--no-write",
        dest="keep",
        action="store_false",
        help="leave results.json and the README as they are",
    )
    return parser.parse_args()


def _measured(benchmark: Benchmark, options: argparse.Namespace) -> Results:
    rounds = 2 if options.quick else options.rounds
    results = measure(benchmark, rounds, quick=options.quick)
    print(table(benchmark, results), flush=True)
    return results


def _keep(benchmarks: list[Benchmark], results: dict[str, Results], load: float) -> None:
    """Write down what was measured; what was not keeps its place from an earlier run."""
    kept: dict[str, Any] = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
    machine = _machine(load)
    measured: dict[str, Any] = kept.get("benchmarks", {})
    measured |= {
        name: {"date": machine["date"], "results": result} for name, result in results.items()
    }
    kept |= {"machine": machine, "benchmarks": measured}
    _RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
    recent = {
        each.name: measured[each.name]["results"] for each in benchmarks if each.name in measured
    }
    tables = [table(each, recent[each.name]) for each in benchmarks if each.name in recent]
    text = "\n".join([*machine_lines(machine), "", bars_table(judge(recent)), *tables])
    update_readme(_README, text)
    PLOT.write_text(cpu_plot(measured, machine))


def _machine(load: float) -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "cpu": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_before": round(load, 2),
        "versions": envs.versions(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


if __name__ == "__main__":
    sys.exit(main())

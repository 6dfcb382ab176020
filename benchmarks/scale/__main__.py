"""Measures informers of many pods, in all forms, beside Go's client.

::

    python -m benchmarks.scale --counts 1000,10000,100000 --go ./scale
    python -m benchmarks.scale --kubeconfig ~/.kube/config --create 2000

The first command needs no cluster: a process of its own sends made-up pods over TLS. The second
one creates pods that no scheduler takes in a namespace of its own, measures, and deletes the
namespace; without `--create` it takes the pods that a namespace has (`--namespace`). Run it in
the environment of CONTRIBUTING.md. Go's client is measured if `--go` names the program that `go
build` makes of `benchmarks/scale/go`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.scale import cluster, report
from benchmarks.scale.forms import FORMS, GO_FORMS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

_FLAVOURS = ("asyncio", "threads")
_ENCODINGS = ("protobuf", "json")
_EVENTS = 10_000
# A run that takes longer has failed.
_RUN_SECONDS = 1_200


@dataclass(frozen=True)
class Target:
    """A server, and how many pods it has in a namespace."""

    kubeconfig: str
    control: str
    """The address to ask for changes; empty for real clusters."""
    namespace: str
    count: int


def main() -> int:
    """Measure, print the tables, and keep the figures. Returns the exit code."""
    options = _options()
    rows: list[report.Row] = []
    with _targets(options) as targets:
        for target in targets:
            events = options.events if target.control else 0
            rows += [
                _run(target, "clientgen", form, flavour, _worker(target, form, flavour, events))
                for form, flavour in product(options.forms, options.flavours)
            ]
            if options.go is not None:
                rows += [
                    _run_go(options.go, target, form, encoding, events)
                    for form, encoding in product(GO_FORMS, _ENCODINGS)
                    # The metadata client of Go always asks for protobuf.
                    if (form, encoding) != ("metadata", "json")
                ]
    print(report.tables(rows))
    if options.output is not None:
        report.write(rows, options.output)
    if options.keep:
        report.keep(rows)
    return 1 if any("problem" in row.figures for row in rows) else 0


def _run(target: Target, client: str, form: str, how: str, command: Sequence[str]) -> report.Row:
    print(f"{target.count:>7} pods  {client} {form}, {how}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=_RUN_SECONDS
        )
    except subprocess.TimeoutExpired:
        return report.Row(target.count, client, form, how, {"problem": "not done in 20 minutes"})
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return report.Row(target.count, client, form, how, {"problem": lines[-1]})
    return report.Row(target.count, client, form, how, json.loads(done.stdout))


def _run_go(program: Path, target: Target, form: str, encoding: str, events: int) -> report.Row:
    where = [str(program), "run", target.kubeconfig, target.namespace]
    command = [*where, form, encoding, str(target.count), str(events)]
    return _run(target, "Go", form, encoding, command)


def _worker(target: Target, form: str, flavour: str, events: int) -> list[str]:
    module = [sys.executable, "-m", "benchmarks.scale.worker", target.kubeconfig, target.control]
    return [*module, target.namespace, form, flavour, str(target.count), str(events)]


@contextmanager
def _targets(options: argparse.Namespace) -> Generator[list[Target]]:
    if options.kubeconfig:
        with cluster.pods(options.kubeconfig, options.namespace, options.create) as (name, count):
            yield [Target(options.kubeconfig, "", name, count)]
        return
    command = [sys.executable, "-m", "benchmarks.scale.server"]
    command += ["--go", str(options.go)] if options.go else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            kubeconfig, control = server.stdout.readline().split()
            yield [Target(kubeconfig, control, f"pods-{n}", n) for n in options.counts]
        finally:
            server.terminate()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--counts", type=_numbers, default=[1_000, 10_000, 100_000])
    parser.add_argument("--forms", type=_names(FORMS), default=[*FORMS])
    parser.add_argument("--flavours", type=_names(_FLAVOURS), default=[*_FLAVOURS])
    parser.add_argument("--events", type=int, default=_EVENTS, help="changes after the start")
    parser.add_argument("--go", type=Path, help="the program of benchmarks/scale/go")
    parser.add_argument("--kubeconfig", default="", help="measure a cluster of your own")
    parser.add_argument("--namespace", default="default", help="the namespace of its pods")
    parser.add_argument("--create", type=int, default=0, help="create so many pods")
    parser.add_argument("--output", type=Path, help="a folder for figures, tables and plots")
    parser.add_argument(
        "--keep", action="store_true", help="write results.json, the README and docs/assets, too"
    )
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


class _names:  # noqa: N801 - used as a type of argparse
    """Names separated by commas, out of those that exist."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = [*known]

    def __call__(self, text: str) -> list[str]:
        """Return the names.

        Raises:
            argparse.ArgumentTypeError: A name is not known.
        """
        names = text.split(",")
        for name in names:
            if name not in self._known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(self._known)}")
        return names


if __name__ == "__main__":
    sys.exit(main())

"""Explores buggy controllers and their correct twins: what is found, false alarms, cost.

python scripts/explore_corpus.py [--budget SECONDS] [--seed N] [--cases FOLDER] [NAME ...]

Without --cases, it takes those of tests/explore/corpus. A FOLDER has a Python file for each case:

    buggy      the program with the bug, as the first argument of explore
    correct    the same without the bug (or None)
    scenario   what the user does
    OPTIONS    further arguments of explore, such as {"replicas": 2, "invariant": check}; optional.
               A clientset is added if there is none: that of kubeapi

Files that begin with an underscore are no cases; the others may import them. Each program runs in a
process of its own, so that its memory can be told. The exit code is 0 if every bug was found, in
time and memory, and nothing was found in a twin.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from kubeapi import AsyncClientset

from clientgen.testing import FoundBug, explore

SECONDS, MEGABYTES = 10.0, 300.0


class Tried(msgspec.Struct):
    """What came of exploring one program."""

    rule: str = ""
    schedule: str = ""
    text: str = ""
    error: str = ""
    runs: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0


def main() -> int:
    """Print a line for each program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", type=float, default=SECONDS, help="CPU seconds for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=Path, metavar="FOLDER")
    parser.add_argument("--only", choices=["buggy", "correct"])
    parser.add_argument("--show", action="store_true", help="print the whole reports")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if args.child:
        name, which = args.names
        sys.stdout.buffer.write(msgspec.json.encode(tried(args, name, which)))
        return 0
    results = list(table(args))
    buggy = [each for which, each in results if which == "buggy"]
    alarms = [each for which, each in results if which == "correct" and each.rule]
    slow = [each for _, each in results if is_too_much(each, args.budget)]
    broken = [each for _, each in results if each.error]
    found = sum(bool(each.rule) for each in buggy)
    print(f"{found} of {len(buggy)} bugs found, {len(alarms)} false alarms, {len(broken)} errors")
    print(f"{len(slow)} took more than {args.budget:g} s by a second, or {MEGABYTES:g} MB")
    return 0 if found == len(buggy) and not alarms and not slow and not broken else 1


def table(args: argparse.Namespace) -> Any:
    """Try all programs, and print a line for each."""
    for name in args.names or names_of(args.cases):
        for which in ("buggy", "correct"):
            if args.only not in (None, which):
                continue
            result = in_child(args, name, which)
            if result is None:  # no such twin
                continue
            is_wrong = bool(result.error) or bool(result.rule) != (which == "buggy")
            what = result.error.replace("\n", " | ") or f"{result.rule}: {result.schedule}"
            shown = what if result.error or result.rule else "nothing found"
            cost = f"{result.runs:5} runs {result.seconds:6.2f} s {result.megabytes:4.0f} MB"
            print(f"{'!!' if is_wrong else '  '} {name:20} {which:8} {cost}  {shown}", flush=True)
            if result.text and (args.show or which == "correct"):
                print(result.text)
            yield which, result


def is_too_much(result: Tried, budget: float) -> bool:
    """Whether it has cost more than it may; a run that began in time may end a second later."""
    return result.seconds > budget + 1 or result.megabytes > MEGABYTES


def names_of(folder: Path | None) -> list[str]:
    """The names of all cases."""
    if folder is None:
        from explore.corpus import CASES

        return list(CASES)
    if not folder.is_dir():
        sys.exit(f"{folder} is no folder")
    return sorted(each.stem for each in folder.glob("*.py") if not each.stem.startswith("_"))


def in_child(args: argparse.Namespace, name: str, which: str) -> Tried | None:
    """Try a program in a process of its own."""
    command = [sys.executable, __file__, "--child", name, which]
    command += ["--budget", str(args.budget), "--seed", str(args.seed)]
    if args.cases is not None:
        command += ["--cases", str(args.cases)]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - ourselves
    if done.returncode:
        return Tried(error=done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return msgspec.json.decode(done.stdout, type=Tried | None)


def tried(args: argparse.Namespace, name: str, which: str) -> Tried | None:
    """Explore a program in this process."""
    program, scenario, options = case_of(args.cases, name, which)
    if program is None:
        return None
    result, began = Tried(), time.process_time()
    try:
        given: dict[str, Any] = {
            "budget": args.budget,
            "seed": args.seed,
            "clientset": AsyncClientset,
            **options,
        }
        result.runs = explore(program, scenario, **given).runs
    except FoundBug as bug:
        result.rule, result.schedule, result.text = bug.rule, bug.schedule, str(bug)
        result.runs = bug.runs
    except Exception as error:  # noqa: BLE001 - the table tells
        result.error = f"{type(error).__name__}: {error}"
    result.seconds = time.process_time() - began
    result.megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result


def case_of(folder: Path | None, name: str, which: str) -> tuple[Any, Any, dict[str, Any]]:
    """A program, its scenario, and the options."""
    if folder is None:
        from explore.corpus import CASES
        from explore.corpus.case import CRD

        case = CASES[name]
        return getattr(case, which), case.scenario, {"crds": [CRD], **case.options}
    sys.path.insert(0, str(folder.resolve()))
    module = importlib.import_module(name)
    options = getattr(module, "OPTIONS", {})
    return getattr(module, which, None), module.scenario, options


if __name__ == "__main__":
    sys.exit(main())

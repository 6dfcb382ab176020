"""Explores the whole corpus of buggy controllers and their correct twins, and prints a table.

python scripts/explore_corpus.py [--budget SECONDS] [--seed N] [NAME ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from explore.corpus import CASES, Case

from clientgen.testing import FoundBug


def main() -> int:
    """Print a line for each program; the exit code is 0 if all is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["buggy", "correct"])
    parser.add_argument("--show", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    wrong = found = 0
    for name, case in CASES.items():
        if args.names and name not in args.names:
            continue
        for which in ("buggy", "correct"):
            program = getattr(case, which)
            if program is None or args.only not in (None, which):
                continue
            error, runs, seconds = tried(case, program, args.budget, args.seed)
            found += which == "buggy" and error is not None
            is_wrong = (error is not None) != (which == "buggy")
            wrong += is_wrong
            what = f"{error.rule}: {error.schedule}" if error is not None else "nothing found"
            mark = "!!" if is_wrong else "  "
            print(f"{mark} {name:20} {which:8} {runs:5} runs {seconds:6.2f} s  {what}", flush=True)
            if error is not None and (args.show or which == "correct"):
                print(error)
    print(f"{found} bugs found, {wrong} results wrong")
    return 1 if wrong else 0


def tried(
    case: Case, program: object, budget: float, seed: int
) -> tuple[FoundBug | None, int, float]:
    """Explore a program; return what was found, after how many runs and CPU seconds."""
    began = time.process_time()
    error, runs = None, 0
    try:
        runs = case.explore(program, budget=budget, seed=seed).runs
    except FoundBug as bug:
        error, runs = bug, bug.runs
    return error, runs, time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())

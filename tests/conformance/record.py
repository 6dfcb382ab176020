#!/usr/bin/env python3
"""Records what a server answers to scenarios: each step's `expect` is written anew.

    python tests/conformance/record.py --server https://HOST:6443 --ca ca.crt --cert admin.crt --key admin.key --only 'own-*'

docs/internals/recording.md tells which server, and what to look at before the files are committed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from replay import Run, Server, base_parser, selected, server_of


def main() -> int:
    """Record the selected scenarios; 1 if one of them could not be played to its end."""
    parser = base_parser("Record a server's answers into scenario files.")
    arguments = parser.parse_args()
    server = server_of(arguments)
    paths = list(selected(arguments))
    if not paths:
        parser.error("no scenario selected")
    failed = 0
    for path in paths:
        try:
            problems = record(server, path)
        except Exception as error:  # whatever happens to one file, the others are recorded
            problems = [f"not recorded: {type(error).__name__}: {error}"]
        failed += bool(problems)
        for problem in problems:
            print(f"{path.name}: {problem}")
    print(f"{len(paths) - failed} of {len(paths)} scenarios recorded")
    return int(failed > 0)


def record(server: Server, path: Path) -> list[str]:
    """Play a scenario and write the answers into its file, unless a check of a step fails."""
    scenario = json.loads(path.read_text("utf-8"))
    run = Run(server, scenario)
    problems: list[str] = []
    try:
        run.set_up()
        for step in scenario["steps"]:
            step["expect"], failed = run.step(step)
            problems += [f"{step['name']}: {problem}" for problem in failed]
    finally:
        run.tear_down()
    if not problems:
        written = path.with_suffix(".new")
        written.write_text(json.dumps(scenario, indent=1, ensure_ascii=False) + "\n", "utf-8")
        os.replace(written, path)
    return problems


if __name__ == "__main__":
    sys.exit(main())

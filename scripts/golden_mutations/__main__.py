"""Lists the mistakes in templates, plan/ and resolve/ that no golden case notices."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from clientgen._shipped import shipped
from clientgen.generator import __file__ as generator
from golden_mutations.mutations import Mutation, of_python, of_template
from golden_mutations.trials import ROOT, Outcome, all_cases, try_out


def main() -> int:
    """Try every mutation; the exit code is 1 if there is one that only left-out files show."""
    options = _options()
    cases = all_cases()
    counts: Counter[str] = Counter()
    for mutation in list(_mutations(options.parts))[:: options.every]:
        result = _result(try_out(mutation, cases))
        counts[result.partition(":")[0]] += 1
        if result != "noticed":
            print(f"{mutation}: {result}", flush=True)
    print(f"{counts.total()} mutations: {', '.join(f'{n} {what}' for what, n in counts.items())}")
    return int(counts["only in left-out files"] > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bash scripts/golden-mutations", description=__doc__)
    parser.add_argument("parts", nargs="*", help="such as templates/listers or plan/; default: all")
    parser.add_argument("--every", type=int, default=1, help="try only each Nth mutation")
    return parser.parse_args()


def _mutations(parts: list[str]) -> Iterator[Mutation]:
    files = [
        *sorted(Path(shipped("templates")).glob("*.j2")),
        *sorted(Path(generator).parent.glob("plan/*.py")),
        *sorted(Path(generator).parent.glob("resolve/*.py")),
    ]
    for file in files:
        name = f"{file.parent.name}/{file.name}"
        if not parts or any(name.startswith(part) for part in parts):
            yield from of_template(file) if file.suffix == ".j2" else of_python(file)


def _result(outcome: Outcome) -> str:
    if outcome.by.keys() - {ROOT.name}:
        return "noticed"
    if outcome.beside:
        shown = ", ".join(f"{case}/{files[0]}" for case, files in outcome.beside.items())
        return f"only in left-out files: {shown}"
    return "only in generated/kubeapi" if outcome.by else "not noticed"


if __name__ == "__main__":
    sys.exit(main())

"""The command line of scripts/foreign."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from foreign import corpus, kubectl

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run a command; the exit code says whether anything failed."""
    parser = argparse.ArgumentParser(prog="scripts/foreign", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    each = commands.add_parser("corpus", help="CustomResourceDefinitions of others")
    each.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    each.add_argument("--work", type=Path, help="keep what is generated in this folder")
    each.add_argument("--no-checkers", action="store_true", help="without mypy and pyright")
    each.set_defaults(run=_corpus)
    each = commands.add_parser("kubectl", help="kubectl against the test server")
    each.add_argument("binary", nargs="?", default="kubectl")
    each.set_defaults(run=_kubectl)
    said = parser.parse_args(arguments)
    return int(said.run(said))


def _kubectl(said: argparse.Namespace) -> int:
    return kubectl.run(said.binary)


def _corpus(said: argparse.Namespace) -> int:
    return corpus.run(said.folders, said.work, checked=not said.no_checkers)


if __name__ == "__main__":
    sys.exit(main())

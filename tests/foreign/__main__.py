"""The command line of scripts/foreign."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from foreign import corpus, kubectl, python_clients

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
    each = commands.add_parser("python-clients", help="tests of other libraries, the same")
    each.add_argument("folder", type=Path, metavar="DIR", help="tests that read KUBECONFIG")
    each.add_argument("--python", default=sys.executable, help="has the library and pytest")
    each.add_argument("--seconds", type=int, default=60, help="how long a test may take")
    each.set_defaults(run=_python_clients)
    parsed = parser.parse_args(arguments)
    return int(parsed.run(parsed))


def _kubectl(parsed: argparse.Namespace) -> int:
    return kubectl.run(parsed.binary)


def _python_clients(parsed: argparse.Namespace) -> int:
    return python_clients.run(parsed.folder, parsed.python, parsed.seconds)


def _corpus(parsed: argparse.Namespace) -> int:
    return corpus.run(parsed.folders, parsed.work, checked=not parsed.no_checkers)


if __name__ == "__main__":
    sys.exit(main())

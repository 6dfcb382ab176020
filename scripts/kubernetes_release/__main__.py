"""`bash scripts/update-kubernetes`: see CONTRIBUTING.md, "A new Kubernetes release"."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clientgen._shipped import KUBERNETES
from clientgen.testing._apiserver.served_spec import Spec, read

from .changes import changes, mentions, unknown_definitions, verb_differences
from .declared import declared_table
from .deprecations import deprecations_table
from .discovery import discovery_table, served_verbs
from .documents import facts, read_documents, release_of, write_documents
from .go_types import fields_table
from .wire_numbers import wire_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
SPECS: Final = ROOT / "specs" / "kubernetes"
_HANDLER: Final = ROOT / "clientgen" / "testing" / "_apiserver"
_DECODING: Final = ROOT / "clientgen" / "_apimachinery" / "decoding"
DECLARED: Final = _HANDLER / "kinds" / "declared.json"
DEPRECATIONS: Final = _HANDLER / "kinds" / "deprecations.json"
DISCOVERY: Final = _HANDLER / "discovery.json"
FIELDS: Final = _DECODING / "fields.json"
WIRE: Final = _DECODING / "wire.json"
BY_HAND: Final = (
    _HANDLER / "access" / "bootstrap.py",
    _HANDLER / "access" / "control_plane.json",
)
"""Tables that no document tells: the roles of a fresh cluster."""
MENTIONING: Final = (
    "README.md",
    "clientgen.toml",
    "clientgen/_shipped.py",
    "docs/guides/installing.md",
    "docs/guides/openapi.md",
    "docs/guides/test-server.md",
    "docs/guides/testing.md",
    "generated/README.md",
    "specs/README.md",
)
"""The files that name the release; every other one asks `clientgen._shipped.KUBERNETES`."""
COPIES: Final = "tests.support.inlined_types"
"""The module that writes the CustomResourceDefinitions with copies of Kubernetes' types."""
_OF_PYTHON_TYPES: Final = ("examples/crontab", "examples/conversion", "examples/webapp")
_PACKAGES: Final = (".", "examples/crontab")
"""The generated packages that are committed."""


def main(arguments: Sequence[str]) -> int:
    """Rewrite what follows from the documents, then list what somebody has to look at."""
    options = _options(arguments)
    document: Any = facts(json.loads(options.swagger.read_bytes()))
    release: str = options.release or release_of(document)
    if not release:
        sys.exit(f"{options.swagger} names no release: give one with --release, such as 1.37")
    old = read(json.loads((SPECS / "swagger.json").read_bytes()))
    _write_specs(document, options.v3, release)
    new = read(document)
    tasks = [*_derive(options, new, int(release.partition(".")[2])), *_missing(options)]
    _rename(KUBERNETES, release)
    tasks += [] if options.keep_generated else _regenerate()
    _say(f"The project is at Kubernetes {release} (it was at {KUBERNETES}).")
    tasks += [*changes(old, new, ROOT), *unknown_definitions(document, ROOT)]
    tasks += [*_by_hand(), *_still_named(KUBERNETES, release)]
    tasks += _of_older_releases(KUBERNETES, release)
    _say(f"\nTo do by hand ({len(tasks)}):" if tasks else "\nNothing is left to do by hand.")
    for task in tasks:
        _say(f"- {task}")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bash scripts/update-kubernetes",
        description="Move the project to another release of Kubernetes.",
    )
    parser.add_argument("swagger", type=Path, help="the OpenAPI v2 document of the release")
    parser.add_argument("v3", type=Path, nargs="?", help="a folder of its OpenAPI v3 documents")
    parser.add_argument("--release", help="such as 1.37; default: what the document says")
    parser.add_argument(
        "--sources",
        type=Path,
        help="a folder with checkouts, at the release, of kubernetes/{api,apimachinery,"
        "kube-aggregator,apiextensions-apiserver}",
    )
    parser.add_argument(
        "--discovery", type=Path, help="a folder of discovery documents, as in api/discovery"
    )
    parser.add_argument(
        "--keep-generated", action="store_true", help="do not generate packages and golden files"
    )
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _write_specs(document: dict[str, Any], folder: Path | None, release: str) -> None:
    documents, urls = read_documents(folder) if folder else ({}, {})
    documents = {path: facts(each) for path, each in documents.items()}
    for each in (document, *documents.values()):
        each["info"] = {"title": "Kubernetes", "version": release}
    write_documents(SPECS, document, documents, urls)
    if documents:
        _write(DECLARED, declared_table(documents))


def _derive(options: argparse.Namespace, new: Spec, minor: int) -> Iterator[str]:
    """Write the tables that sources and discovery tell; yield what discovery contradicts."""
    if options.sources:
        definitions: dict[str, Any] = new.document["definitions"]
        served = {(each.api_version, each.kind) for each in new.resources}
        _write(FIELDS, fields_table(options.sources, definitions), sort_keys=True)
        _write(WIRE, wire_table(options.sources, definitions), sort_keys=True)
        _write(DEPRECATIONS, deprecations_table(options.sources, served, minor))
    if options.discovery:
        _write(DISCOVERY, discovery_table(options.discovery))
        yield from verb_differences(new, served_verbs(options.discovery))


def _write(path: Path, table: Any, *, sort_keys: bool = False) -> None:
    text = json.dumps(table, indent=1, sort_keys=sort_keys, ensure_ascii=False)
    path.write_text(f"{text}\n", "utf-8")


def _missing(options: argparse.Namespace) -> Iterator[str]:
    """One line for each table that stays as it was, because its source was not given."""
    stays = "as the release before had it"
    if not options.v3:
        yield f"{_relative(DECLARED)}: {stays}: give the folder of v3 documents"
    if not options.sources:
        names = ", ".join(map(_relative, (FIELDS, WIRE, DEPRECATIONS)))
        yield f"{names}: {stays}: give --sources"
    if not options.discovery:
        compare = "or compare with `kubectl api-resources`"
        yield f"{_relative(DISCOVERY)}: {stays}: give --discovery, {compare}"


def _by_hand() -> Iterator[str]:
    """One line for each table of facts that only a server or Kubernetes' sources tell."""
    yield (
        f"{', '.join(map(_relative, BY_HAND))}: compare with the testdata of "
        "plugin/pkg/auth/authorizer/rbac/bootstrappolicy in Kubernetes' sources"
    )
    yield (
        "specs/descriptions: `python scripts/descriptions` lists the texts about what is gone, and "
        "`--missing PACKAGE` what has no text"
    )
    recordings = "tests/conformance, tests/exchanges, tests/testing/writes"
    yield f"{recordings}: recorded from an older release; docs/internals/conformance.md says which"


def _of_older_releases(old: str, new: str) -> Iterator[str]:
    """One line on the package of the release that is left, unless it stays the same."""
    if old != new:
        keep = f"keep the package of {old} (`python -m kubernetes_release.older {old}`)"
        yield f"specs/releases: {keep}, remove those that Kubernetes no longer supports"


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _rename(old: str, new: str) -> None:
    """Name the new release wherever the old one is named."""
    patterns = (r"Kubernetes\s+", r'KUBERNETES: Final = "', r'\nversion = "', "kubeapi==")
    named = re.compile(rf"({'|'.join(patterns)}){re.escape(old)}\b")
    for name in MENTIONING:
        path = ROOT / name
        text = path.read_text("utf-8")
        path.write_text(named.sub(lambda m: m[1] + new, text), "utf-8")


def _still_named(old: str, new: str) -> Iterator[str]:
    """One line that tells where the old release is still named, but for recordings."""
    if old == new:
        return
    recorded = (
        "CHANGELOG.md",
        "benchmarks",
        "generated",
        "specs",
        "tests/golden",
        "tests/conformance",
    )
    excluded = [f":!{each}" for each in (*recorded, "tests/exchanges", "tests/testing/writes")]
    places = mentions(ROOT, [rf"\b{re.escape(old)}\b"], [".", *excluded])
    if places:
        yield f"still naming {old}, which may be right where it was recorded: {', '.join(places)}"


def _regenerate() -> Iterator[str]:
    """Generate everything that is made of the documents; yield what failed."""
    command = [sys.executable, "-m", "clientgen"]
    for package in _PACKAGES:
        yield from _run([*command, "generate", "-q"], ROOT / package)
    for package in _OF_PYTHON_TYPES:
        yield from _run([*command, "crd", "-q"], ROOT / package)
    yield from _run([sys.executable, "-m", COPIES], ROOT)
    golden = ["pytest", "-q", "tests/test_golden.py", "--update-golden"]
    yield from _run([sys.executable, "-m", *golden], ROOT)


def _run(command: list[str], folder: Path) -> Iterator[str]:
    """Run a command; yield a line if it fails: the list at the end is printed all the same."""
    done = subprocess.run(command, cwd=folder, check=False)  # noqa: S603
    if done.returncode:
        words = " ".join(["python", *command[1:]])
        yield f"failed: {words} (in {folder.relative_to(ROOT)}): see above, then run it again"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Where the files of a release come from: their sha256 sums, and a statement.

The statement has the form of in-toto, with the predicate of SLSA: which files, of which commit,
built with which tools. It contains no times and nothing about the machine, so that everybody who
builds the commit gets the same statement.
"""

from __future__ import annotations

import json
import platform
import zlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from .build import digest
from .commands import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["STATEMENT", "SUMS", "commit_of", "differences", "tools_of", "write"]

SUMS: Final = "SHA256SUMS"
STATEMENT: Final = "provenance.json"
_TOOLS: Final = ("black", "build", "hatchling", "jinja2", "packaging", "pathspec", "pluggy")
"""What decides the bytes: the generator's libraries, and what builds archives."""


def write(folder: Path, release: str, commit: str, time: int) -> None:
    """Write the sums and the statement of the files of a folder."""
    files = _files(folder)
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    (folder / SUMS).write_text(sums, "utf-8")
    statement = json.dumps(_statement(files, release, commit, time), indent=2)
    (folder / STATEMENT).write_text(f"{statement}\n", "utf-8")


def commit_of(folder: Path) -> str:
    """Return the commit that the statement of a folder names.

    Raises:
        ReleaseError: there is no such statement.
    """
    return _read(folder)[0]


def tools_of(folder: Path) -> set[str]:
    """Return what the statement of a folder names as tools, with their versions.

    Raises:
        ReleaseError: there is no such statement.
    """
    return _read(folder)[1]


def _read(folder: Path) -> tuple[str, set[str]]:
    try:
        statement = json.loads((folder / STATEMENT).read_bytes())
        definition = statement["predicate"]["buildDefinition"]
        source, *tools = definition["resolvedDependencies"]
        named = {str(tool["uri"]).rpartition("/")[2] for tool in tools}
        parameters = definition["internalParameters"]
        named |= {f"{name}@{parameters[name]}" for name in ("python", "zlib")}
        return str(source["digest"]["gitCommit"]), named
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReleaseError(f"{folder / STATEMENT}: no statement of a release: {error!r}") from error


def differences(published: Path, rebuilt: Path) -> list[str]:
    """List the files that are not the same in both folders."""
    mine, other = (
        {path.name: digest(path) for path in _files(each)} for each in (published, rebuilt)
    )
    return sorted(name for name in mine.keys() | other.keys() if mine.get(name) != other.get(name))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name not in (SUMS, STATEMENT))


def _statement(files: Sequence[Path], release: str, commit: str, time: int) -> dict[str, Any]:
    python = ".".join(platform.python_version_tuple()[:2])
    tools = [{"name": name, "uri": f"pkg:pypi/{name}@{version(name)}"} for name in _TOOLS]
    source = {"name": "source", "digest": {"gitCommit": commit}}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": digest(path)}} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:clientgen:scripts/release:1",
                "externalParameters": {"version": release},
                "internalParameters": {
                    "SOURCE_DATE_EPOCH": str(time),
                    "python": python,
                    "zlib": zlib.ZLIB_RUNTIME_VERSION,
                },
                "resolvedDependencies": [source, *tools],
            },
            "runDetails": {"builder": {"id": "urn:clientgen:scripts/release"}},
        },
    }

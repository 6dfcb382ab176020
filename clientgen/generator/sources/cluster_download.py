"""Bringing a folder of OpenAPI v3 documents up to date with a cluster; see `folder` for reading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clientgen._json import is_object
from clientgen.generator.sources.folder import INDEX, file_name
from clientgen.generator.sources.live_cluster import ClusterDocuments, group_version


@dataclass(frozen=True, slots=True)
class Update:
    """The files of a folder that are new or changed, and those to be removed."""

    new: Mapping[str, bytes]
    stale: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.stale)


def update_of(folder: Path, documents: ClusterDocuments) -> Update:
    """Return the files to change; documents that are unavailable now stay as they are."""
    before = _read_index(folder)
    unchanged = {
        key: url
        for key, url in before.items()
        if group_version(key) in documents.unavailable and (folder / file_name(key)).is_file()
    }
    urls = {**unchanged, **{key: documents.urls[key] for key in documents.v3}}
    wanted = {file_name(key): body for key, body in documents.v3.items()}
    wanted[INDEX] = _index(urls)
    gone = (file_name(key) for key in before if key not in urls)
    return Update(
        {name: body for name, body in wanted.items() if _differs(folder / name, body)},
        tuple(name for name in gone if (folder / name).is_file()),
    )


def _index(urls: Mapping[str, str]) -> bytes:
    """The server's index, less what describes no group version."""
    paths = {key: {"serverRelativeURL": url} for key, url in sorted(urls.items())}
    return json.dumps({"paths": paths}, indent=1).encode() + b"\n"


def _read_index(folder: Path) -> dict[str, str]:
    """Return the server's URL of each document, by key; empty if this is no such folder yet."""
    try:
        contents: object = json.loads((folder / INDEX).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    paths = contents.get("paths") if is_object(contents) else None
    entries = paths.items() if is_object(paths) else ()
    return {
        key: str(entry.get("serverRelativeURL", "")) for key, entry in entries if is_object(entry)
    }


def _differs(path: Path, body: bytes) -> bool:
    return not path.is_file() or path.read_bytes() != body

"""A folder of OpenAPI v3: the index of /openapi/v3 as `index.json`, and a file per document.

The index lists the documents of the folder. A document that it does not name is an error, and so is
one that is missing.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from clientgen._json import is_object
from clientgen._openapi.json_source import duplicate_keys, parse_json, pointer
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.sources.files import read_file
from clientgen.generator.sources.spec import Input

INDEX = "index.json"
_MAX_FILE_NAME_LENGTH = 255
_PULL = "`clientgen spec pull --openapi v3` fetches such a folder from your cluster."


def file_name(key: str) -> str:
    """The file of a document: `apis__apps__v1.json` for the key `apis/apps/v1` of the index."""
    return f"{key.replace('/', '__').lstrip('.')}.json"


def gather_folder(folder: Path, name: str) -> tuple[Input, ...]:
    """Read every document the index of a folder names, in order of their keys.

    Args:
        folder: the folder.
        name: how the folder is called on every machine.

    Raises:
        ClientgenError: with everything that is wrong with the index, and every file that is
            missing, cannot be read or is not named.
    """
    problems = Problems()
    files = _files(folder, problems)
    found: list[Input] = []
    for key, file in sorted(files.items()):
        shown = str(folder / file)
        if not (folder / file).exists():
            problems.add(shown, f"is missing, but {INDEX} names it for {key}", _PULL)
            continue
        try:
            found.append(Input(f"{name}/{key}", shown, read_file(folder / file, shown)))
        except ClientgenError as error:
            problems.extend(error.problems)
    _check_strays(folder, set(files.values()), problems)
    problems.raise_if_any()
    return tuple(found)


def _files(folder: Path, problems: Problems) -> dict[str, str]:
    """The file of each key of the index."""
    place = folder / INDEX
    if not place.exists():
        what = f"has no {INDEX}, which names the documents of OpenAPI v3"
        problems.add(str(folder), what, _PULL)
        return {}
    data = read_file(place, str(place))
    index = parse_json(data, str(place))
    duplicate_keys(data, str(place), problems)
    paths = index.get("paths")
    if not is_object(paths) or not paths:
        what = 'names no documents: "paths" must be an object with one entry for each document'
        problems.add(str(place), what, "It must be the response of an API server to /openapi/v3.")
        return {}
    files = {key: _file(place, key, entry, problems) for key, entry in sorted(paths.items())}
    _check_distinct(place, files, problems)
    return {key: file for key, file in files.items() if file}


def _file(index: Path, key: str, entry: Any, problems: Problems) -> str:
    """The file of an entry: as it says, or as `clientgen spec pull` calls it."""
    said = entry.get("file", file_name(key)) if is_object(entry) else None
    if isinstance(said, str) and _is_inside(said):
        return said
    where = str(index) + pointer("paths", key)
    if said is None:
        problems.add(where, "has to be an object", 'Such as {"serverRelativeURL": "..."}.')
    else:
        problems.add(where, f"names {said!r}, which is not a file of the folder", "Name a file.")
    return ""


def _is_inside(file: str) -> bool:
    parts = PurePosixPath(file).parts
    if not file.isprintable() or any(len(part.encode()) > _MAX_FILE_NAME_LENGTH for part in parts):
        return False  # no system has such files
    return bool(parts) and not file.startswith("/") and ".." not in parts and "\\" not in file


def _check_distinct(index: Path, files: dict[str, str], problems: Problems) -> None:
    by_file: dict[str, str] = {}
    for key, file in files.items():
        first = by_file.setdefault(file, key)
        if file and first != key:
            where = str(index) + pointer("paths", key)
            problems.add(
                where, f"is in {file}, and so is {first}", "Give each document a file of its own."
            )


def _check_strays(folder: Path, named: set[str], problems: Problems) -> None:
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.json")}
    for stray in sorted(there - named - {INDEX}) if named else ():
        problems.add(
            str(folder / stray),
            f"is not listed in {INDEX}",
            "List it there, or remove it from the folder.",
        )

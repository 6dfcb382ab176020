"""Writes a site: all files or none, and only into a folder that is empty or holds a site.

`clientgen-docs.json` lists the files of a site. A file that is not listed is never changed. Files
that a later site no longer has are removed if nobody has changed them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clientgen import __version__
from clientgen._json import is_object
from clientgen._problems import ClientgenError, Problem, Problems
from clientgen.generator.atomic_write import (
    STAGING,
    Replacement,
    clear_staging,
    is_interrupted,
    replace_files,
)
from clientgen.generator.directory_lock import exclusive
from clientgen.generator.disk_state import read_disk_state
from clientgen.generator.package_manifest import digest, is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

LIST: Final = "clientgen-docs.json"
_ABOUT: Final = "Files written by clientgen docs."
_HINT: Final = "name another folder, or move what is there; nothing was changed"


@dataclass(frozen=True, slots=True)
class Written:
    """What a run changed."""

    written: int
    removed: int
    kept: int


def write(files: Mapping[str, bytes], target: Path) -> Written:
    """Make the folder these files.

    Raises:
        ClientgenError: something is in the way or cannot be written; everything is as it was.
    """
    assert all(is_inside(path) for path in files), "names of files stay inside the site"
    try:
        _check_folder(target)
        with exclusive(target):
            return _write({**files, LIST: _list(_digests(files))}, target)
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = str(error.filename or target)
        what = f"it cannot be written: {why}"
        raise ClientgenError([Problem(where, what, "nothing was changed")]) from error


def _check_folder(target: Path) -> None:
    """Refuse a folder with contents that are no site.

    Raises:
        ClientgenError: it has other contents, or is no folder.
    """
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise ClientgenError([Problem(str(target), "it is not a folder", _HINT)])
    if (target / LIST).is_file() and _listed(target) is None:
        what = f"its {LIST} is not one that clientgen docs wrote"
        raise ClientgenError([Problem(str(target), what, _HINT)])
    others = [name for name in os.listdir(target) if name != STAGING]  # noqa: PTH208 - names only
    if others and not (target / LIST).is_file():
        what = f"the folder holds other files, such as {sorted(others)[0]}"
        raise ClientgenError([Problem(str(target), what, _HINT)])


def _write(wanted: Mapping[str, bytes], target: Path) -> Written:
    old = _listed(target) or {}
    state = read_disk_state(wanted, target)
    problems = Problems()
    for path in state.changed:
        if path not in old and path != LIST:
            problems.add(
                str(target / path), "a file that is no part of the site is in the way", _HINT
            )
    problems.raise_if_any()
    stale = tuple(_stale(old, wanted, target))
    new = {path: wanted[path] for path in sorted({*state.missing, *state.changed})}
    if new or stale:
        # While files change, both the old and the new ones are listed.
        between = _list({**old, **_digests(wanted)})
        replace_files(target, Replacement({LIST: between}, (), b""))
        last = new.pop(LIST, wanted[LIST])
        replace_files(target, Replacement(new, stale, b""))
        replace_files(target, Replacement({LIST: last}, (), b""))
    if is_interrupted(target):
        clear_staging(target)
    return Written(len(new), len(stale), len(wanted) - 1 - len(new))


def _stale(old: Mapping[str, str], wanted: Iterable[str], target: Path) -> Iterable[str]:
    """Files of the site before that nobody has changed."""
    for path in sorted(old.keys() - set(wanted)):
        place = target / path
        is_plain = place.is_file() and place.resolve() == target.resolve() / path
        if is_plain and digest(place.read_bytes()) == old[path]:
            yield path


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: digest(data) for path, data in sorted(files.items()) if path != LIST}


def _list(digests: Mapping[str, str]) -> bytes:
    contents = {"about": _ABOUT, "clientgen": __version__, "files": dict(sorted(digests.items()))}
    return (json.dumps(contents, indent=1) + "\n").encode()


def _listed(target: Path) -> dict[str, str] | None:
    """The files of the site that is there; None if there is none."""
    try:
        contents: object = json.loads((target / LIST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    files: object = contents.get("files") if is_object(contents) else None
    if not is_object(contents) or contents.get("about") != _ABOUT or not is_object(files):
        return None
    return {path: sha for path, sha in files.items() if isinstance(sha, str) and is_inside(path)}

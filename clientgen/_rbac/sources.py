"""Recordings in files, and markers in the Python files of folders: what accounts need."""

from __future__ import annotations

from functools import partial
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from clientgen._problems import ClientgenError, Problem, take_all

from .derivation import Needs
from .rbac_markers import markers
from .recording import BadRecording, Recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from .callers import Account
    from .rbac_markers import Marker

_MAX_FILE_BYTES: Final = 64 << 20  # bytes of a file


def needs_of(
    recording: Recording, found: Sequence[Marker], account: Account | None
) -> dict[Account, Needs]:
    """What each account needs, by its requests and by markers.

    A marker belongs to `account`, to the account that its roleName names, or to the only one.

    Raises:
        ClientgenError: it is not clear whose a marker is.
    """
    needs = {each: Needs(requests) for each, requests in recording}
    known = [*needs] if account is None else [account]
    problems: list[Problem] = []
    for marker in found:
        owners = [each for each in known if each.name == marker.role] or known
        if len(owners) != 1:
            problems.append(Problem(marker.where, *_unclear(marker, known)))
            continue
        needs.setdefault(owners[0], Needs()).marked.extend(marker.rights)
    if problems:
        raise ClientgenError(problems)
    return needs


def _unclear(marker: Marker, known: Sequence[Account]) -> tuple[str, str]:
    if not known:
        what = "no service account is known for this marker"
        return what, "give --service-account NAMESPACE/NAME, or a recording"
    names = ", ".join(map(str, known))
    what = f"it is not clear which service account this marker is for: {names}"
    if marker.role:
        what = f"{what}; none is called {marker.role!r}"
    return what, "give the marker a roleName with the name of one of them"


def read_recording(path: Path) -> Recording:
    """Read the file of a recording.

    Raises:
        ClientgenError: it cannot be read, or is none.
    """
    try:
        return Recording.from_json(_read(path))
    except BadRecording as error:
        raise ClientgenError([Problem(str(path), str(error))]) from None


def read_markers(places: Iterable[Path]) -> list[Marker]:
    """Read the markers of Python files, and of those in folders.

    Raises:
        ClientgenError: a file cannot be read, is no Python, or has a malformed marker.
    """
    files = sorted({file for place in places for file in _python_files(place)})
    found = take_all([partial(_markers_in, file) for file in files])
    return [marker for each in found for marker in each]


def _markers_in(file: Path) -> list[Marker]:
    return markers(_read(file), str(file))


def _python_files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place  # reading it says if it is not there
        return
    for file in place.rglob("*.py"):
        if not any(part.startswith(".") for part in file.relative_to(place).parts):
            yield file


def _read(path: Path) -> bytes:
    """The content of a regular file: others may block or never end."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise ClientgenError([Problem(str(path), "it is not a regular file")])
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        why = f"it cannot be read: {error.strerror or error}"
        raise ClientgenError([Problem(str(path), why)]) from error
    if len(data) > _MAX_FILE_BYTES:
        raise ClientgenError([Problem(str(path), f"it is larger than {_MAX_FILE_BYTES >> 20} MiB")])
    return data

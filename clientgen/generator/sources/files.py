"""Reads input files, and reports those that cannot be read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from clientgen._openapi.json_source import HINT
from clientgen._problems import ClientgenError, Problem, Problems

# A cluster with a thousand large custom resources stays well below.
_MAX_FILE_BYTES = 64 * 2**20
_NAME_A_DOCUMENT = "Name the OpenAPI document, for example one fetched with `clientgen spec pull`."


def links_to_nowhere(paths: Iterable[Path], endings: Collection[str], problems: Problems) -> None:
    """Report symbolic links to missing files, which would otherwise be overlooked."""
    for path in paths:
        if path.suffix in endings and path.is_symlink() and not path.exists():
            what = f"is a symbolic link to a missing file, {os.readlink(path)!r}"  # noqa: PTH115
            problems.add(str(path), what, "Remove it, or create the file that it points to.")


def read_file(path: Path, shown: str, hint: str = _NAME_A_DOCUMENT) -> bytes:
    """The bytes of an input file.

    Args:
        path: the file.
        shown: what messages call it.
        hint: what to do when it cannot be read.

    Raises:
        ClientgenError: it is missing, a folder, unreadable or far too large.
    """
    try:
        size = path.stat().st_size
        if size > _MAX_FILE_BYTES:
            what = (
                f"has {size / 2**20:.0f} MiB; no API server's document has {_MAX_FILE_BYTES >> 20}"
            )
            raise ClientgenError([Problem(shown, what, HINT)])
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ClientgenError([Problem(shown, f"cannot be read: {reason}", hint)]) from None

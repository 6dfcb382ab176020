"""Files with roles that clientgen writes, and only those: it never changes other files.

A file is ours if it begins with our line and has exactly the text that we would write for its
objects. So no comment and no object of somebody else is ever lost.
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any, Final

from clientgen._yaml.dumper import write_yaml
from clientgen.runtime._manifests.manifest_documents import ManifestError, documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_FIRST_LINE: Final = (
    "# Derived by clientgen from what tests request and what markers say. It will be overwritten.\n"
)


class ForeignFile(ValueError):  # noqa: N818 - says what was met
    """There is a file already that clientgen did not write like that; the message says which."""


def roles_text(objects: Iterable[Mapping[str, Any]]) -> str:
    """The text of a file with these objects."""
    return _FIRST_LINE + "---\n".join(write_yaml(each, sort_keys=False) for each in objects)


def write_roles(path: Path, objects: Iterable[Mapping[str, Any]]) -> bool:
    """Write a file, or leave it alone if it has this content.

    Returns:
        Whether the file was changed.

    Raises:
        ForeignFile: there is a file that clientgen did not write, or that was edited.
        OSError: it cannot be read or written; then nothing has changed.
    """
    check_ours(path)
    return write_text(path, roles_text(objects))


def check_ours(path: Path) -> None:
    """See to it that `write_roles` may write there.

    Raises:
        ForeignFile: there is a file that clientgen did not write, or that was edited.
        OSError: it cannot be read.
    """
    if not os.path.lexists(path):
        return
    if not path.is_file():
        raise ForeignFile(f"{path}: it is not a regular file")
    text = path.read_bytes()
    if not text:
        return
    if not text.startswith(_FIRST_LINE.encode()):
        why = "clientgen did not write it, and does not change it"
        raise ForeignFile(f"{path}: {why}: give another path, or remove it")
    try:
        is_ours = roles_text(each.value for each in documents(text)).encode() == text
    except (ManifestError, AttributeError, TypeError):
        is_ours = False
    if not is_ours:
        why = "it has comments, objects or a layout that clientgen did not write"
        raise ForeignFile(f"{path}: {why}: move them to another file, then remove this one")


def write_text(path: Path, text: str) -> bool:
    """Replace a file, whole or not at all, unless it has this text already.

    Returns:
        Whether the file was changed.

    Raises:
        OSError: it cannot be read or written; then nothing has changed.
    """
    path = path.resolve()  # a link stays one
    data = text.encode()
    if path.exists() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        error.filename = str(path)  # nobody asked for the other one
        raise
    return True

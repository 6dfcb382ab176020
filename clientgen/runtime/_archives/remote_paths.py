"""Paths in containers, as arguments of `tar`."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from .._models.arguments import type_of


class RemotePath(NamedTuple):
    """A path in a container: the working directory of `tar`, and the name to copy."""

    folder: str
    name: str


def path_from(source: object) -> RemotePath:
    """Return the path that a copy reads.

    Raises:
        TypeError: `source` is not text.
        ValueError: `source` is empty, or contains a null character.
    """
    path = posixpath.normpath(_checked("source", source))
    folder, name = posixpath.split(path)
    if name in {"", ".", ".."}:
        return RemotePath(path, ".")
    return RemotePath(_not_an_option(folder or "."), name)


def path_to(target: object, source_name: str) -> RemotePath:
    """Return the path that a copy writes.

    If the target ends with a slash, the source's name is added.

    Raises:
        TypeError: `target` is not text.
        ValueError: `target` is empty, or contains a null character.
    """
    text = _checked("target", target)
    path = posixpath.normpath(text + source_name if text.endswith("/") else text)
    if path.startswith("/"):
        return RemotePath("/", path.lstrip("/") or ".")
    folder = "."
    while path == ".." or path.startswith("../"):
        folder, path = posixpath.join(folder, ".."), path[3:] or "."
    return RemotePath(folder, path)


def _checked(what: str, path: object) -> str:
    if not isinstance(path, str):
        raise TypeError(f"{what} must be a path in the container, as text, not {type_of(path)}")
    if not path or "\0" in path:
        raise ValueError(f"{what}={path!r} is not a path in the container")
    return path


def _not_an_option(folder: str) -> str:
    return folder if folder.startswith(("/", ".")) else f"./{folder}"

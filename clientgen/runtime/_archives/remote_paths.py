"""Paths in containers, as `tar` there is told them."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from .._models.arguments import named

__all__ = ["RemotePath", "path_from", "path_to"]


class RemotePath(NamedTuple):
    """A path in a container: the directory in which `tar` works, and the name of what it copies."""

    folder: str
    name: str


def path_from(source: object) -> RemotePath:
    """Return where a copy is to be read.

    Raises:
        TypeError: It is not text.
        ValueError: It is empty, or no path.
    """
    path = posixpath.normpath(_checked("source", source))
    folder, name = posixpath.split(path)
    if name in {"", ".", ".."}:
        return RemotePath(path, ".")
    return RemotePath(_not_an_option(folder or "."), name)


def path_to(target: object, source_name: str) -> RemotePath:
    """Return where a copy is to be made. Behind a slash, it keeps its name.

    Raises:
        TypeError: It is not text.
        ValueError: It is empty, or no path.
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
        raise TypeError(f"{what} must be the text of a path in the container, not {named(path)}")
    if not path or "\0" in path:
        raise ValueError(f"{what}={path!r} is no path in the container")
    return path


def _not_an_option(folder: str) -> str:
    return folder if folder.startswith(("/", ".")) else f"./{folder}"

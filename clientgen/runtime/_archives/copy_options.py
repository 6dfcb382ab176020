"""Checks the arguments of `copy_to` and `copy_from`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._models.arguments import check_function, type_of, unexpected_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OPTIONS = ("container", "limit", "on_progress", "timeout")


class CheckedOptions(NamedTuple):
    """The checked options of a copy. `of_request` has the options of the HTTP request."""

    of_request: Mapping[str, Any]
    limit: int | None
    on_progress: Callable[[int], object]


def checked_options(options: Mapping[str, Any]) -> CheckedOptions:
    """Check the options of a copy.

    Raises:
        TypeError: An option does not exist, or has a wrong type.
    """
    for name in options.keys() - set(_OPTIONS):
        raise unexpected_option(name, _OPTIONS)
    limit = options.get("limit")
    if limit is not None and (not isinstance(limit, int) or limit < 0):
        raise TypeError(f"limit must be a number of bytes, not {type_of(limit)}")
    on_progress = options.get("on_progress", bool)
    check_function("on_progress", on_progress)
    of_request = {name: options[name] for name in ("container", "timeout") if name in options}
    return CheckedOptions(of_request, limit, on_progress)


def local_path(what: str, path: object, name: str = "") -> Path:
    """Return a local path. If the path ends with a slash, it is a directory, and `name` is added.

    Raises:
        TypeError: `path` is not a path.
        ValueError: `path` is empty, or contains a null character.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a local path, not {type_of(path)}")
    text = os.fspath(cast("str | os.PathLike[str]", path))
    if not text or "\0" in text:
        raise ValueError(f"{what}={text!r} is not a local path")
    is_directory = name not in {"", "."} and text.endswith(("/", os.sep))
    return Path(text, name) if is_directory else Path(text)

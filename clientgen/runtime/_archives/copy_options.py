"""The arguments of copies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._models.arguments import check_function, named, unexpected_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CheckedOptions", "checked_options", "local_path"]

_KNOWN = ("container", "limit", "on_progress", "timeout")


class CheckedOptions(NamedTuple):
    """The options of a copy; those of its requests are by themselves."""

    of_request: Mapping[str, Any]
    limit: int | None
    on_progress: Callable[[int], object]


def checked_options(options: Mapping[str, Any]) -> CheckedOptions:
    """Read the options.

    Raises:
        TypeError: One does not exist, or is of another type.
    """
    for name in options.keys() - set(_KNOWN):
        raise unexpected_option(name, _KNOWN)
    limit = options.get("limit")
    if limit is not None and (not isinstance(limit, int) or limit < 0):
        raise TypeError(f"limit must be a number of bytes, not {named(limit)}")
    on_progress = options.get("on_progress", bool)
    check_function("on_progress", on_progress)
    of_request = {name: options[name] for name in ("container", "timeout") if name in options}
    return CheckedOptions(of_request, limit, on_progress)


def local_path(what: str, path: object, name: str = "") -> Path:
    """Return a path of this machine; behind a slash, `name` is in it.

    Raises:
        TypeError: It is no path.
        ValueError: It is empty, or no path.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a path of this machine, not {named(path)}")
    text = os.fspath(cast("str | os.PathLike[str]", path))
    if not text or "\0" in text:
        raise ValueError(f"{what}={text!r} is no path of this machine")
    is_within = name not in {"", "."} and text.endswith(("/", os.sep))
    return Path(text, name) if is_within else Path(text)

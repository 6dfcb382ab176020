"""The generator's own dependencies: an extra, so they may not be there."""

from __future__ import annotations

import importlib.util
import sys

from clientgen.cli.entry import INSTALL

_NEEDED = ("jinja2", "black", "openapi_spec_validator", "jsonschema_rs")


def require_generator() -> None:
    """Exit with one line on what to install if the generator cannot be loaded."""
    if not has_generator():
        sys.exit(INSTALL)


def has_generator() -> bool:
    """Return whether it can be loaded."""
    return all(map(_is_installed, _NEEDED))


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False

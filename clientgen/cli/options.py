"""The flags that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["config_option", "package_options", "quiet_option", "spec_option", "verbose_option"]

_Command = TypeVar("_Command", bound="Callable[..., Any]")
PATH = click.Path(path_type=Path)

spec_option = click.option(
    "--spec",
    "specs",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="An OpenAPI document to read; may be given several times.",
)
config_option = click.option(
    "--config",
    type=PATH,
    metavar="FILE",
    help="The config to read, instead of the nearest pyproject.toml or clientgen.toml.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say only what is wrong.")
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="List all that was left out; show progress anywhere."
)
_output_option = click.option(
    "--output", type=PATH, metavar="DIR", help="The directory to write the package into."
)
_package_option = click.option(
    "--package", metavar="NAME", help="The name of the package, or the one to pick of the config."
)
_PACKAGE_OPTIONS = (
    spec_option,
    _output_option,
    _package_option,
    config_option,
    quiet_option,
    verbose_option,
)


def package_options(command: _Command) -> _Command:
    """Add the flags that say what to generate and how much to tell."""
    for option in reversed(_PACKAGE_OPTIONS):
        command = option(command)
    return command

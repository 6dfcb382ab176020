"""The flags that several commands share."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

_Command = TypeVar("_Command", bound="Callable[..., Any]")
PATH = click.Path(path_type=Path)


def _several(flag: str, name: str, metavar: str, text: str) -> Callable[[_Command], _Command]:
    kind = PATH if metavar in {"FILE", "PATH"} else None
    help_text = f"{text} May be given several times."
    return click.option(flag, name, type=kind, multiple=True, metavar=metavar, help=help_text)


config_option = click.option(
    "--config",
    type=PATH,
    metavar="FILE",
    help="The config to read, instead of the nearest pyproject.toml or clientgen.toml.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only problems.")
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="List everything that was left out; always show progress."
)
_SOURCE_OPTIONS = (
    _several("--spec", "specs", "PATH", "An OpenAPI document, or a folder of version 3."),
    _several("--crd", "crds", "PATH", "A file or folder of CustomResourceDefinitions."),
    _several("--types", "types", "MODULE", "A module of model classes."),
    _several("--go-types", "go_types", "PATH", "Go sources whose markers are read."),
    click.option("--cluster", is_flag=True, help="Read the documents of a live cluster."),
    click.option("--context", metavar="NAME", help="With --cluster: the kubeconfig context."),
    click.option(
        "--kubeconfig", type=PATH, metavar="FILE", help="With --cluster: the kubeconfig file."
    ),
    _several("--use", "uses", "PACKAGE", "A package whose types are imported."),
    _several("--include", "include", "PATTERN", "Generate group[/version[/Kind]] and no others."),
    _several("--exclude", "exclude", "PATTERN", "Leave out group[/version[/Kind]]."),
)
header_option = click.option(
    "--header-file",
    type=PATH,
    metavar="FILE",
    help="A text, such as a licence, for the top of every generated module and definition.",
)
_PACKAGE_OPTIONS = (
    click.option(
        "--output", type=PATH, metavar="DIR", help="The directory to write the package into."
    ),
    click.option(
        "--package",
        metavar="NAME",
        help="The name of the package, or which package of the config to use.",
    ),
    click.option(
        "--distribution",
        metavar="NAME[==VERSION]",
        help="Write a pyproject.toml beside the package, to publish it under this name.",
    ),
    header_option,
)


class SeveralValues(click.Command):
    """A command whose repeatable flags take several values at once too: `--crd crds/*.yaml`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line."""
        options = (param for param in self.params if isinstance(param, click.Option))
        repeatable = {flag for option in options if option.multiple for flag in option.opts}
        return super().parse_args(ctx, list(_one_by_one(args, repeatable)))


def _one_by_one(arguments: Iterable[str], repeatable: Container[str]) -> Iterator[str]:
    """The flag again before each value after its first."""
    flag, is_first = "", True
    for argument in arguments:
        if argument.startswith("-"):
            flag, equals, _ = argument.partition("=")
            flag, is_first = flag if flag in repeatable else "", not equals
        elif flag and not is_first:
            yield flag
        else:
            is_first = False
        yield argument


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that say what to read; the command gets them as `flags`."""
    return _with_flags(command, (*_SOURCE_OPTIONS, config_option))


def package_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that say what to generate and how much to tell; see `source_options`."""
    options = (*_SOURCE_OPTIONS, *_PACKAGE_OPTIONS, config_option, quiet_option, verbose_option)
    return _with_flags(command, options)


def _with_flags(
    command: Callable[..., Any], options: Iterable[Callable[[Any], Any]]
) -> Callable[..., Any]:
    @wraps(command)
    def gathering(**values: Any) -> Any:
        from clientgen.generator.configuration import Flags  # other commands start without it

        names = Flags.__dataclass_fields__.keys() & values.keys()
        flags = Flags(**{name: values.pop(name) for name in names})
        return command(flags=flags, **values)

    decorated: Callable[..., Any] = gathering
    for option in reversed(tuple(options)):
        decorated = option(decorated)
    return decorated

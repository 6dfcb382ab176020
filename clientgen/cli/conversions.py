"""`clientgen conversions`: a draft of the conversions between versions of Python types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem, Problems
from clientgen.cli.common_flags import PATH, SeveralValues, quiet_option
from clientgen.cli.extra import require_generator

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@click.command(cls=SeveralValues, short_help="Draft the conversions between your versions.")
@click.option(
    "--types",
    multiple=True,
    required=True,
    metavar="MODULE",
    help="A module of model classes, from the oldest version. May be given several times.",
)
@click.option(
    "--output", type=PATH, required=True, metavar="FILE", help="The module to write functions into."
)
@click.option("--test", type=PATH, metavar="FILE", help="The test of the functions to write.")
@quiet_option
def conversions(*, types: tuple[str, ...], output: Path, test: Path | None, quiet: bool) -> None:
    """Write functions that convert every kind of your Python types between its versions.

    Equal fields are copied. The other fields are a TODO, which type checkers refuse: replace each.
    The test needs hypothesis: it checks that no conversion loses anything. Files that exist are
    never changed.
    """
    require_generator()
    from clientgen.generator.format import format_tree
    from clientgen.generator.python_types.conversion_drafts import drafts

    texts = drafts(types, output, test)
    _check_free(texts)
    for path, text in texts.items():
        _write(path, format_tree({str(path): text})[str(path)])
        if not quiet:
            click.echo(f"{path}: written")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ClientgenError([Problem(str(path), f"it cannot be written: {why}")]) from error


def _check_free(paths: Iterable[Path]) -> None:
    problems = Problems()
    for path in paths:
        if path.exists():
            problems.add(str(path), "it is there already", "move it away, or write another file")
    problems.raise_if_any()

"""`clientgen generate` and `clientgen verify`."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING

import click

from clientgen._problems import take_all
from clientgen.cli.common_flags import SeveralValues, package_options
from clientgen.cli.extra import require_generator
from clientgen.cli.report import (
    Progress,
    show_notes,
    show_unavailable,
    summary_of_older,
    summary_of_skipped,
    tell_api,
    tell_changes,
    tell_diffs,
    tell_moved,
    tell_recovered,
)
from clientgen.generator.configuration import Flags, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.generator.configuration import PackageConfig


@click.command(cls=SeveralValues, short_help="Write a typed package.")
@package_options
@click.option("--force", is_flag=True, help="Generate even if nothing changed since the last run.")
def generate(*, flags: Flags, quiet: bool, verbose: bool, force: bool) -> None:
    """Write a typed package from OpenAPI documents, CustomResourceDefinitions or Python types.

    The package is written as a subdirectory of DIR. Files that clientgen did not write are never
    changed. If there is any error, nothing is written.
    """
    require_generator()
    from clientgen.generator import pipeline  # only now: without the extra it fails

    def generate_one(chosen: PackageConfig, progress: Progress) -> None:
        result = pipeline.generate(chosen, progress, force=force)
        if not quiet:
            show_unavailable(result.unavailable)
        if result.changes.recovered:
            tell_recovered(str(chosen.target))
        tell_moved(str(chosen.target), result.moved)
        if quiet:
            return
        for line in tell_api(result.api):
            click.echo(line)
        show_notes(result.notes)
        for line in summary_of_skipped(result.skipped, verbose=verbose):
            click.echo(line)
        for line in summary_of_older(result.older, verbose=verbose):
            click.echo(line)
        shown = str(chosen.target)
        click.echo(tell_changes(shown, result.changes, unchanged=result.unchanged))

    _each(flags, generate_one, verbose=verbose)


@click.command(cls=SeveralValues, short_help="Check whether a package is up to date.")
@package_options
@click.option("--diff", is_flag=True, help="Also list the files that differ, and show a diff.")
def verify(*, flags: Flags, quiet: bool, verbose: bool, diff: bool) -> None:
    """Check whether a package is what `generate` would write. Nothing is written.

    It says what changes for users of the package: kinds, fields, verbs and names of modules. The
    exit code is 1 if the package differs.
    """
    require_generator()
    from clientgen.generator import pipeline  # only now: without the extra it fails

    differing: list[str] = []

    def verify_one(chosen: PackageConfig, progress: Progress) -> None:
        differences = pipeline.verify(chosen, progress)
        shown = str(chosen.target)
        if differences:
            differing.append(shown)
            for line in tell_diffs(shown, differences, diff=diff):
                click.echo(line)
        elif not quiet:
            click.echo(f"{shown}: up to date")

    _each(flags, verify_one, verbose=verbose)
    if differing:
        click.echo(f"to bring it up to date: {_command(flags)}", err=True)
        raise click.exceptions.Exit(1)


def _each(flags: Flags, work: Callable[[PackageConfig, Progress], None], *, verbose: bool) -> None:
    """Work on every package that is asked for; the problems of one do not hide those of another."""

    def one(package: PackageConfig) -> None:
        with Progress(shown=True if verbose else None) as progress:
            work(package, progress)

    take_all(partial(one, package) for package in load(flags))


def _command(flags: Flags) -> str:
    """The command that brings up to date what these flags mean."""
    words = ["clientgen", "generate"]
    for flag, value in flags.words():
        words += [flag] if value is None else [flag, value]
    return shlex.join(words)

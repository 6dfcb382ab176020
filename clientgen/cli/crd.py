"""`clientgen crd`: the CustomResourceDefinitions of Python types."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from clientgen.cli.common_flags import (
    PATH,
    SeveralValues,
    config_option,
    header_option,
    quiet_option,
)
from clientgen.cli.extra import require_generator
from clientgen.cli.report import tell_changes, tell_diffs, tell_recovered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from clientgen.generator.configuration import Flags
    from clientgen.generator.crds.crd_changes import Change
    from clientgen.generator.crds.manifest_files import Folder


@click.command(cls=SeveralValues, short_help="Write the CRDs of your Python types.")
@click.option(
    "--types",
    multiple=True,
    metavar="MODULE",
    help="A module of model classes. May be given several times.",
)
@click.option("--output", type=PATH, metavar="DIR", help="The directory to write manifests into.")
@click.option("--package", metavar="NAME", help="The package of the config to pick.")
@header_option
@click.option(
    "--max-desc-len",
    type=click.IntRange(min=0),
    metavar="N",
    help="The most characters of a description, up to a whole sentence; 0 for no descriptions.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a manifest differs.")
@config_option
@quiet_option
def crd(
    *,
    types: tuple[str, ...],
    output: Path | None,
    package: str | None,
    header_file: Path | None,
    max_desc_len: int | None,
    check: bool,
    config: Path | None,
    quiet: bool,
) -> None:
    """Write the CustomResourceDefinition of every kind of your Python types.

    Changes that can break clients or lose stored data are listed. Files that clientgen did not
    write are never changed. If there is any error, nothing is written.
    """
    require_generator()
    from clientgen.generator.configuration import Flags
    from clientgen.generator.crds.manifest_sources import folders

    flags = Flags(
        types=types,
        package=package,
        config=config,
        header_file=header_file,
        max_desc_len=max_desc_len,
    )
    manifest_folders = folders(flags, output)
    if check:
        _check(manifest_folders, flags, output, quiet=quiet)
        return
    for folder in manifest_folders:
        for line in _breaking(folder.changes()):
            click.echo(line, err=True)
        for file in folder.too_large:
            why = "too large for `kubectl apply` without --server-side"
            click.echo(f"{folder.path / file}: {why}", err=True)
        done = folder.write()
        if done.recovered:
            tell_recovered(str(folder.path))
        if not quiet:
            click.echo(tell_changes(str(folder.path), done, unchanged=False))
            for rule in folder.rules:
                click.echo(str(rule))


def _check(folders: tuple[Folder, ...], flags: Flags, output: Path | None, *, quiet: bool) -> None:
    differing = False
    for folder in folders:
        shown = str(folder.path)
        differences = folder.differences
        if not differences:
            if not quiet:
                click.echo(f"{shown}: up to date")
            continue
        differing = True
        changes = folder.changes()
        for line in (*_breaking(changes), *_others(changes), *tell_diffs(shown, differences)):
            click.echo(line)
    if differing:
        click.echo(f"to bring it up to date: {_command(flags, output)}", err=True)
        raise click.exceptions.Exit(1)


def _breaking(changes: Mapping[str, tuple[Change, ...]]) -> Iterator[str]:
    for name, manifest_changes in changes.items():
        breaking = [change for change in manifest_changes if change.breaking]
        if breaking:
            yield f"{name}: breaking for clients or for what is stored:"
            yield from (f"  {change}" for change in breaking)


def _others(changes: Mapping[str, tuple[Change, ...]]) -> Iterator[str]:
    for name, manifest_changes in changes.items():
        others = [change for change in manifest_changes if not change.breaking]
        if others:
            yield f"{name}: other changes:"
            yield from (f"  {change}" for change in others)


def _command(flags: Flags, output: Path | None) -> str:
    words = ["clientgen", "crd"]
    for flag, value in flags.words():
        words += [flag] if value is None else [flag, value]
    return shlex.join([*words, *(["--output", str(output)] if output else [])])

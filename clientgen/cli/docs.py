"""`clientgen docs`: the reference of a package as static pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.common_flags import PATH, SeveralValues, quiet_option, source_options
from clientgen.cli.reference import opened

if TYPE_CHECKING:
    from clientgen.generator.configuration import Flags


@click.command(cls=SeveralValues, short_help="Write the reference of a package as pages.")
@click.option(
    "--package",
    metavar="NAME",
    help="The generated package to read: kubeapi if neither a flag nor a config names another.",
)
@click.option(
    "--output", type=PATH, metavar="DIR", required=True, help="The folder to write the pages into."
)
@quiet_option
@source_options
def docs(*, flags: Flags, quiet: bool) -> None:
    """Write the reference of a package as static pages with a search.

    The pages need no server: open DIR/index.html. They show kinds, fields, verbs, informers,
    selectable fields and manifests of a package, or of one that would be generated from --spec,
    --crd or --types. No code of a package is run. If there is any error, nothing is written.
    """
    from clientgen.reference.site.site_builder import build  # only now: it reads many modules
    from clientgen.reference.site.site_writer import write

    api = opened(flags, with_used=False)
    package, *others = api.packages
    if others:
        names = ", ".join(each.name for each in api.packages)
        what = f"the config has several packages: {names}"
        raise ClientgenError([Problem("flags", what, "select one with --package")])
    assert flags.output is not None
    done = write(build(api, package), flags.output)
    if not quiet:
        click.echo(
            f"{flags.output}: {done.written} files written, {done.removed} removed, "
            f"{done.kept} as before"
        )

"""`clientgen explain`: resources and their fields, as `kubectl explain` shows them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from clientgen.cli.common_flags import SeveralValues, source_options
from clientgen.cli.reference import has_source, opened

if TYPE_CHECKING:
    from clientgen.generator.configuration import Flags

_MAX_WIDTH = 100
_ELSEWHERE = "For kinds of your own, add --crd FILE or --package NAME"


@click.command(cls=SeveralValues, short_help="Explain a resource or a field.")
@click.argument("path", metavar="RESOURCE[.FIELD...]")
@click.option("--recursive", is_flag=True, help="Print the names of all fields below it.")
@click.option(
    "--api-version",
    default="",
    metavar="GROUP/VERSION",
    help="The group version to look in, such as apps/v1.",
)
@click.option(
    "--package",
    metavar="NAME",
    help="The generated package to read: kubeapi if neither a flag nor a config names another.",
)
@source_options
def explain(*, path: str, recursive: bool, api_version: str, flags: Flags) -> None:
    """Explain a resource or a field: its text, its type, its limits and its Python name.

    RESOURCE is a plural, a singular, a kind or a short name, as kubectl takes them: `pods`, `pod`,
    `Pod`, `po`, `deployments.apps`. Only --cluster asks a cluster, and no code of a package is run.
    """
    from clientgen.reference.names import find  # only now: other commands do not need them
    from clientgen.reference.sources import RANKS
    from clientgen.reference.terminal import lines

    api = opened(flags, with_used=True)
    elsewhere = "" if has_source(flags) or flags.package else _ELSEWHERE
    target = find(api, path, api_version, RANKS, elsewhere)
    width = min(shutil.get_terminal_size((_MAX_WIDTH, 24)).columns, _MAX_WIDTH)
    for line in lines(api, target, width, recursive=recursive):
        click.echo(line)

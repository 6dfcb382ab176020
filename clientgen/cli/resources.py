"""`clientgen resources`: what a spec offers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clientgen.cli.extra import require_generator
from clientgen.cli.options import config_option, spec_option
from clientgen.generator.config import Flags, PackageConfig, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clientgen.generator.pipeline import ResourceRow

__all__ = ["resources"]

_TITLES = ("GROUP VERSION", "KIND", "RESOURCE", "SCOPE", "VERBS", "SUBRESOURCES")


@click.command()
@spec_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def resources(*, specs: tuple[Path, ...], config: Path | None, as_json: bool) -> None:
    """Show the resources of OpenAPI documents, with their verbs and subresources.

    Without --spec the documents are those of the config.
    """
    require_generator()
    from clientgen.generator import pipeline  # only now: without the extra it fails

    # Of a package that is never written only the sources count.
    given = (PackageConfig("resources", Path(), specs),)
    rows = pipeline.resources(given if specs else load(Flags(config=config)))
    for line in [_json(rows)] if as_json else _table(rows):
        click.echo(line)


def _json(rows: Sequence[ResourceRow]) -> str:
    said = [
        {
            "groupVersion": row.group_version,
            "kind": row.kind,
            "resource": row.plural,
            "namespaced": row.namespaced,
            "verbs": row.verbs,
            "subresources": row.subresources,
        }
        for row in rows
    ]
    return json.dumps(said, indent=2)


def _table(rows: Sequence[ResourceRow]) -> Iterator[str]:
    cells = [_TITLES, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _cells(row: ResourceRow) -> tuple[str, ...]:
    scope = "namespace" if row.namespaced else "cluster"
    verbs, subresources = ",".join(row.verbs), ",".join(row.subresources)
    return row.group_version, row.kind, row.plural, scope, verbs, subresources

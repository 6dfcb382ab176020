"""`clientgen resources`: what sources offer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from clientgen.cli.common_flags import SeveralValues, source_options
from clientgen.cli.extra import require_generator
from clientgen.generator.configuration import Flags, load_sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clientgen.generator.package_builder import ResourceRow

_TITLES = ("GROUP VERSION", "KIND", "RESOURCE", "SCOPE", "VERBS", "SUBRESOURCES")


@click.command(cls=SeveralValues, short_help="List the resources in the sources.")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def resources(*, flags: Flags, as_json: bool) -> None:
    """List the resources in the sources, with their verbs and subresources.

    Without --spec, --crd, --types and --cluster, the sources of the config are used.
    """
    require_generator()
    from clientgen.generator import pipeline  # only now: without the extra it fails

    rows = pipeline.resources(load_sources(flags))
    for line in [_json(rows)] if as_json else _table(rows):
        click.echo(line)


def _json(rows: Sequence[ResourceRow]) -> str:
    documents = [
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
    return json.dumps(documents, indent=2)


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

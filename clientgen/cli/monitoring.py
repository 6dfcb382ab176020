"""`clientgen monitoring`: a dashboard and alerts for the metrics of a manager."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.common_flags import PATH, quiet_option
from clientgen.cli.output_files import write_all

if TYPE_CHECKING:
    from pathlib import Path

_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


@click.command(short_help="Write a dashboard and alerts for your operator.")
@click.option("--name", required=True, help="The name of the operator, as its Pods are labelled.")
@click.option("--namespace", help="The namespace of its Pods; by default its name.")
@click.option(
    "--output", type=PATH, metavar="DIR", required=True, help="The folder to write the files to."
)
@quiet_option
def monitoring(*, name: str, namespace: str | None, output: Path, quiet: bool) -> None:
    """Write a Grafana dashboard, and alerts and a PodMonitor for the Prometheus operator.

    They use the metrics that a manager with `metrics=` serves. The PodMonitor looks for Pods with
    the label app.kubernetes.io/name and a port called metrics. Existing files are replaced.
    """
    for flag, value in (("--name", name), ("--namespace", namespace or name)):
        if not _LABEL.fullmatch(value):
            hint = "write lower-case letters, digits and `-`, as in `my-operator`"
            raise ClientgenError([Problem(flag, f"{value!r} is not a name in Kubernetes", hint)])
    texts = monitoring_files(name, namespace or name)
    write_all(output, texts)
    if not quiet:
        click.echo(f"{output}: {', '.join(texts)}")


def monitoring_files(name: str, namespace: str) -> dict[str, str]:
    """Return the texts of the files by their names."""
    from clientgen.cli.dashboard import dashboard  # it is long

    folder = files("clientgen.cli").joinpath("starter", "monitoring")
    texts = {
        file_name: Template(folder.joinpath(f"{file_name}.tmpl").read_text("utf-8")).substitute(
            app=name, namespace=namespace
        )
        for file_name in ("alerts.yaml", "pod-monitor.yaml")
    }
    return {"dashboard.json": json.dumps(dashboard(name, namespace), indent=2) + "\n", **texts}

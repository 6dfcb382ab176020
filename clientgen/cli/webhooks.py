"""`clientgen webhooks`: the manifests that make an API server call a program's webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clientgen._problems import ClientgenError, Problem
from clientgen._yaml.dumper import write_yaml
from clientgen.cli.common_flags import PATH, quiet_option
from clientgen.cli.loaded import called, loaded
from clientgen.cli.output_files import read, save
from clientgen.cli.suggestions import OneOf

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@click.command(short_help="Write the configurations of your webhooks.")
@click.argument("target", metavar="MODULE:ATTRIBUTE")
@click.option("--name", default="", help="The name of the configurations.")
@click.option(
    "--service", default="", metavar="NAMESPACE/NAME", help="The service of the webhooks."
)
@click.option("--port", type=int, default=443, show_default=True, help="The port of the service.")
@click.option("--url", default="", metavar="URL", help="The URL of the webhooks, if no service.")
@click.option("--ca-bundle", type=PATH, metavar="FILE", help="The authority of the certificate.")
@click.option(
    "--annotation",
    "annotations",
    multiple=True,
    metavar="KEY=VALUE",
    help="An annotation of the configurations. May be given several times.",
)
@click.option(
    "--failure-policy",
    type=OneOf(["Fail", "Ignore"]),
    help="What becomes of requests without an answer, where the code does not say.",
)
@click.option(
    "--conversions",
    is_flag=True,
    help="Write the parts of CustomResourceDefinitions instead: patches for kustomize.",
)
@click.option("--output", type=PATH, metavar="FILE", help="The file to write; else it is printed.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file differs.")
@quiet_option
def webhooks(
    *,
    target: str,
    name: str,
    annotations: tuple[str, ...],
    failure_policy: str | None,
    conversions: bool,
    output: Path | None,
    check: bool,
    quiet: bool,
    **place: Any,
) -> None:
    """Write the webhook configurations of a program.

    ATTRIBUTE is a `Webhooks` or an `AsyncWebhooks` of the MODULE, or a function that returns one
    without arguments. The module is imported: it must not start anything. Modules are looked for in
    this directory, in `src`, and on Python's path.
    """
    if check and output is None:
        raise click.UsageError("--check needs --output: the file to compare with")
    if not name and not conversions:
        raise click.UsageError("--name is missing: the name of the configurations")
    if place["ca_bundle"] is not None:
        place["ca_bundle"] = read(place["ca_bundle"]).decode("ascii", "replace")
    served = _server(target)
    try:
        if conversions:
            objects = served.crd_conversions(**_given(place))
        else:
            defaults = {"failure_policy": failure_policy} if failure_policy else {}
            pairs = _pairs(annotations)
            objects = served.configurations(name, annotations=pairs, **_given(place), **defaults)
    except (ValueError, LookupError) as error:
        raise ClientgenError([Problem(target, str(error.args[0]))]) from error
    text = "---\n".join(write_yaml(each, sort_keys=False) for each in objects)
    if output is None:
        click.echo(text, nl=False)
    else:
        save(output, target, text, check=check, quiet=quiet)


def _given(place: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in place.items() if value is not None}


def _pairs(annotations: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition("=") for text in annotations]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.UsageError(f"an annotation is written KEY=VALUE, not {key!r}")
    return {key: value for key, _, value in pairs}


def _server(target: str) -> Any:
    """Import what is named.

    Raises:
        ClientgenError: There is no such thing, or it is no server of webhooks.
    """
    found = loaded(target, "shop.webhooks:webhooks")
    if callable(found) and not hasattr(found, "configurations"):
        found = called(target, found, hint="it must return the webhooks without arguments")
    if isinstance(found, type) or not hasattr(found, "crd_conversions"):
        what = f"it is a {type(found).__name__}, not Webhooks or AsyncWebhooks"
        hint = "name an attribute with the webhooks, or a function that returns them"
        raise ClientgenError([Problem(target, what, hint)])
    return found

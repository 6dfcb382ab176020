"""`clientgen rules`: the places of rules, and the policies of those that need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clientgen._yaml.dumper import write_yaml
from clientgen.cli.common_flags import PATH, SeveralValues, config_option, quiet_option
from clientgen.cli.extra import require_generator
from clientgen.cli.output_files import save

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=SeveralValues, short_help="Write the admission policies of your rules.")
@click.option(
    "--types",
    multiple=True,
    metavar="MODULE",
    help="A module with rules. May be given several times.",
)
@click.option("--package", metavar="NAME", help="The package of the config to pick.")
@click.option("--output", type=PATH, metavar="FILE", help="The file to write; else it is printed.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file differs.")
@config_option
@quiet_option
def rules(
    *,
    types: tuple[str, ...],
    package: str | None,
    output: Path | None,
    check: bool,
    config: Path | None,
    quiet: bool,
) -> None:
    """Write a ValidatingAdmissionPolicy and its binding for each rule that needs one.

    Rules are functions with `@rule` of clientgen.runtime.webhooks. A rule that only reads the
    object of a kind of yours is part of its CustomResourceDefinition, which `clientgen crd` writes.
    A rule that reads the request, more metadata than the name, or a built-in kind needs a policy.
    What cannot be translated stays a webhook. The place of each rule is printed, and why.
    """
    if check and output is None:
        raise click.UsageError("--check needs --output: the file to compare with")
    require_generator()
    from clientgen.generator.configuration import Flags
    from clientgen.generator.crds.manifest_sources import policy_rules
    from clientgen.generator.crds.rule_places import policies

    found = policy_rules(Flags(types=types, package=package, config=config))
    objects = policies(found.rules, found.plurals)
    text = "---\n".join(write_yaml(each, sort_keys=False) for each in objects)
    if not quiet:
        for rule in found.rules:
            click.echo(str(rule), err=True)
    if output is None:
        click.echo(text, nl=False)
    else:
        save(output, ", ".join(found.modules), text, check=check, quiet=quiet)

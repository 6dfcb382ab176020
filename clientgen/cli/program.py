"""The commands as one program, and what happens when one of them cannot go on."""

from __future__ import annotations

from typing import Any

import click

from clientgen import __version__
from clientgen.cli.completion import completion
from clientgen.cli.generating import generate, verify
from clientgen.cli.report import show_problems
from clientgen.cli.resources import resources
from clientgen.cli.spec import spec
from clientgen.generator.problems import ClientgenError

__all__ = ["program"]

_INTERRUPTED = 130  # what a shell reports for a program that was interrupted


class Program(click.Group):
    """Says what is wrong in a few lines; only a bug of ours shows a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ClientgenError as error:
            show_problems(error)
            ctx.exit(1)
        except KeyboardInterrupt:
            click.echo("clientgen: interrupted", err=True)
            ctx.exit(_INTERRUPTED)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Typed Kubernetes clients for Python, generated from an OpenAPI spec.

    What to generate stands in [tool.clientgen] of pyproject.toml, or in clientgen.toml, or is said
    by flags.
    """


for _command in (generate, verify, resources, spec, completion):
    program.add_command(_command)

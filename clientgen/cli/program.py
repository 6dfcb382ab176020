"""The commands as one program, and what happens when one of them cannot go on."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import click

from clientgen import __version__
from clientgen._problems import ClientgenError
from clientgen.cli.suggestions import SuggestingGroup

_INTERRUPTED = 130  # what a shell reports for a program that was interrupted
# The module of each command; a command imports only its own.
_COMMANDS: Final = {
    "generate": "generate",
    "verify": "generate",
    "resources": "resources",
    "spec": "spec",
    "crd": "crd",
    "conversions": "conversions",
    "docs": "docs",
    "explain": "explain",
    "rbac": "rbac",
    "rules": "rules",
    "run": "run",
    "serve": "serve",
    "monitoring": "monitoring",
    "webhooks": "webhooks",
    "completion": "completion",
    "init": "init",
}


class Program(SuggestingGroup):
    """Says what is wrong in a few lines; only a bug of ours shows a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as inherited
        """The names of the commands."""
        return sorted(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - as inherited
        cmd_name: str,
    ) -> click.Command | None:
        """Load a command."""
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(f"clientgen.cli.{module}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ClientgenError as error:
            from clientgen.cli.report import show_problems  # seldom needed

            show_problems(error)
            ctx.exit(1)
        except KeyboardInterrupt:
            click.echo("clientgen: interrupted", err=True)
            ctx.exit(_INTERRUPTED)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Generate typed Kubernetes clients for Python from descriptions of an API.

    Configure it in [tool.clientgen] of pyproject.toml, in clientgen.toml, or with flags.
    """

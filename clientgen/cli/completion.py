"""`clientgen completion`: the script that lets a shell complete commands and flags."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from clientgen.cli.suggestions import OneOf

_VARIABLE = "_CLIENTGEN_COMPLETE"


@click.command(short_help="Print the script that completes commands in a shell.")
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and flags in a shell.

    \b
    bash:  echo 'eval "$(clientgen completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(clientgen completion zsh)"' >> ~/.zshrc
    fish:  clientgen completion fish > ~/.config/fish/completions/clientgen.fish
    """  # noqa: D301 - what click keeps as it is starts with this character
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(ctx.find_root().command, {}, "clientgen", _VARIABLE).source())

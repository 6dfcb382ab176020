"""Names that are mistyped: what was meant, where it is one of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clientgen._problems import did_you_mean

if TYPE_CHECKING:
    Choice = click.Choice[str]
else:
    Choice = click.Choice  # is no generic before click 8.2


class SuggestingGroup(click.Group):
    """Commands, of which the nearest is named where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for."""
        name = args[0]
        is_flag = name.startswith("-")
        if self.get_command(ctx, name) is None and not (is_flag or ctx.resilient_parsing):
            commands = self.list_commands(ctx)
            hint = did_you_mean(name, commands) or f"There are {', '.join(commands)}."
            ctx.fail(f"No such command {name!r}. {_sentence(hint)}")
        return super().resolve_command(ctx, args)


class OneOf(Choice):
    """One of several words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Take the word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = did_you_mean(str(value), map(str, self.choices))
            if not hint:
                raise
            raise click.BadParameter(f"{error.message} {_sentence(hint)}", ctx, param) from error


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]

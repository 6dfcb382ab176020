"""The page of the commands, written from click's own descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

HEAD = """\
# Commands

Every command and option of the program `clientgen`. [Configuration](configuration.md) explains the
keys of the configuration file, and which options override them. Each command has `--help`.

<!-- written by scripts/cli-page -->
"""


def command_page(program: click.Group) -> str:
    """Return the page for all commands of a program."""
    context = click.Context(program, info_name="clientgen", max_content_width=100)
    return HEAD + "".join(_command(program, context, 2))


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"\n{'#' * level} {context.command_path}\n"
    yield f"\n```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    for paragraph in _paragraphs(command.help or ""):
        yield f"\n{paragraph}\n"
    rows = list(_rows(command, context))
    if rows:
        yield "\n| option | |\n|---|---|\n"
        yield from rows
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, name
            yield from _command(inner, click.Context(inner, context, name), level + 1)


def _rows(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield a line of the table for each parameter that has a text."""
    for param in command.params:
        names, text = param.get_help_record(context) or ("", "")
        if text:
            yield f"| `{_cell(names)}` | {_cell(_text(' '.join(text.split())))} |\n"


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text. What click does not wrap becomes a block of code."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        verbatim, found, rest = paragraph.partition("\b\n")
        if found and not verbatim.strip():
            yield f"```text\n{_dedented(rest)}\n```"
        else:
            yield _text(" ".join(paragraph.split()))


def _dedented(text: str) -> str:
    lines = text.splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[indent:].rstrip() for line in lines)


def _text(text: str) -> str:
    """Return a text for Markdown: options become code, and what would be markup is escaped."""
    parts = text.split("`")
    parts[::2] = [_plain(part) for part in parts[::2]]  # the others are code already
    return "`".join(parts)


def _plain(text: str) -> str:
    escaped = re.sub(r"([<*])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)(?![\w-])", r"`\1`", escaped)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")

"""The files that commands write, and manifests that they compare with `--check`."""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def save(output: Path, source: str, text: str, *, check: bool, quiet: bool) -> None:
    """Write a file of manifests, or compare it.

    Args:
        output: the file.
        source: what its first line names as its source.
        text: the manifests.
        check: whether to compare only; a difference ends the command with 1.
        quiet: whether to print nothing but differences.

    Raises:
        ClientgenError: There is a file that clientgen did not write, or it cannot be written.
    """
    from clientgen.generator.atomic_write import replace_file
    from clientgen.generator.package_manifest import has_header, header

    text = f"{header(source)}\n{text}"
    before = read(output) if os.path.lexists(output) else b""
    if check:
        _compare(output, before, text, quiet=quiet)
        return
    if before and not has_header(before):
        hint = "move it away, or choose another --output"
        raise ClientgenError([Problem(str(output), "clientgen did not write this file", hint)])
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace_file(output, text.encode())
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ClientgenError([Problem(str(output), f"it cannot be written: {why}")]) from error
    if not quiet:
        click.echo(f"{output}: {'unchanged' if before == text.encode() else 'written'}")


def _compare(output: Path, before: bytes, text: str, *, quiet: bool) -> None:
    if before == text.encode():
        if not quiet:
            click.echo(f"{output}: up to date")
        return
    old = before.decode("utf-8", "replace").splitlines()
    for line in difflib.unified_diff(old, text.splitlines(), str(output), "now", lineterm=""):
        click.echo(line)
    raise click.exceptions.Exit(1)


def read(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        ClientgenError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ClientgenError([Problem(str(path), f"it cannot be read: {why}")]) from error


def write_all(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files of a folder by their paths in it, and create the folders that they need.

    Raises:
        ClientgenError: A file cannot be written.
    """
    try:
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = str(error.filename or folder)
        raise ClientgenError([Problem(where, f"cannot be written: {why}")]) from error

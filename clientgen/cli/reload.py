"""Runs a program again whenever Python files change."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.stop_signal import stop_event

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GRACE_SECONDS = 35.0  # a manager gives its reconciliations 30 s


def run_and_reload(command: Sequence[str], folder: Path) -> None:
    """Run a program until SIGINT or SIGTERM, and start it again when a Python file changes.

    A program that ends is started at the next change. Folders of tools, such as `.venv`, do not
    count.

    Raises:
        ClientgenError: The library that watches files is not installed.
    """
    try:
        from watchfiles import PythonFilter, watch
    except ImportError as error:
        hint = "pip install 'clientgen[reload]'"
        raise ClientgenError([Problem("--reload", "it needs watchfiles", hint)]) from error
    stop = stop_event()
    program = _start(command)
    try:
        for changes in watch(folder, watch_filter=PythonFilter(), stop_event=stop):
            names = ", ".join(sorted({path for _, path in changes}))
            click.echo(f"starting again: {names} changed", err=True)
            _end(program)
            program = _start(command)
    finally:
        _end(program)


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command)  # noqa: S603 - this program, with the flags of the user


def _end(program: subprocess.Popen[bytes]) -> None:
    """Stop a program, and wait for its end."""
    if program.poll() is None:
        program.terminate()
    try:
        program.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()

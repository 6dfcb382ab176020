"""A container whose root is a folder of this machine, and whose commands are programs of it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

BUSYBOX = shutil.which("busybox") or ""


class RealContainer:
    """Runs `tar`, `cat` and `sh`, with paths below a folder.

    Args:
        root: The folder.
        programs: What there is.
        prefix: The program that has all of them, such as `busybox`.
    """

    def __init__(self, root: Path, programs: Sequence[str], prefix: Sequence[str] = ()) -> None:
        self.root = root
        self.programs = programs
        self.prefix = list(prefix)
        self.commands: list[list[str]] = []

    def __call__(self, process: Any) -> int:
        self.commands.append(process.command)
        program, *words = process.command
        if program not in self.programs:
            raise FileNotFoundError(f'exec: "{program}": executable file not found in $PATH')
        moved = [f"{self.root}{word}" if word.startswith("/") else word for word in words]
        with subprocess.Popen(
            [*self.prefix, program, *moved],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.root,
        ) as run:
            threads = [
                threading.Thread(target=_passed, args=[run, run.stdout, process.stdout]),
                threading.Thread(target=_passed, args=[run, run.stderr, process.stderr]),
                threading.Thread(target=_fed, args=[process.stdin, run.stdin], daemon=True),
            ]
            for thread in threads:
                thread.start()
            for thread in threads[:2]:
                thread.join()
            process.stdin.end()
            threads[2].join()
        return run.returncode


def _passed(run: subprocess.Popen[bytes], source: Any, target: Any) -> None:
    try:
        while data := source.read1(1 << 16):
            target.write(data)
    except BrokenPipeError:  # the client is gone
        run.kill()


def _fed(source: Any, target: Any) -> None:
    with suppress(OSError), target:
        while data := source.read1():
            target.write(data)
            target.flush()

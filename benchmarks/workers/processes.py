"""Servers in processes of their own, and what they spent."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["FIXED", "SERVE", "Process", "started"]

SERVE = ("-m", "clientgen", "serve")
FIXED = ("-m", "benchmarks.workers.fixed")


@dataclass(frozen=True)
class Process:
    """A server that is ready."""

    id: int
    url: str

    def cpu(self) -> float:
        """Seconds of all its threads so far, to the nanosecond: the process's own come in ticks."""
        threads = Path(f"/proc/{self.id}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    def peak_mb(self) -> float:
        """The most memory it had."""
        lines = Path(f"/proc/{self.id}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


@contextmanager
def started(*arguments: str) -> Generator[Process]:
    """Run it while this is entered; its first line says where it is."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            if not words:
                raise RuntimeError(f"{command} did not start")
            yield Process(process.pid, words[1])
        finally:
            process.terminate()

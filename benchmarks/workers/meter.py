"""What a process knows of its own costs."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import json
import os
import resource
import sys
import time
from pathlib import Path

__all__ = ["Meter", "data", "report", "settled_kib"]


def data() -> Path:
    """Where the made-up pods are."""
    return Path(os.environ["BENCHMARK_DATA"])


class Meter:
    """CPU seconds, user and system and of all threads, between two moments."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = _spent()

    def read(self, count: int = 1) -> dict[str, float]:
        """What was spent, for each of `count` things."""
        cpu, wall = _spent() - self._cpu, time.perf_counter() - self._wall
        return {"cpu": cpu / count, "wall": wall / count}


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def settled_kib() -> int:
    """The resident memory after what is free was given back to the system."""
    gc.collect()
    if sys.platform == "linux" and (name := ctypes.util.find_library("c")):
        trim = getattr(ctypes.CDLL(name), "malloc_trim", None)  # only glibc has it
        if trim is not None:
            trim(0)
    return _status("VmRSS")


def report(values: dict[str, float]) -> None:
    """Hand the measurement to whoever started this process."""
    peak = _status("VmHWM") / 1024
    print(json.dumps({"peak_mb": peak, **values}), flush=True)


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)

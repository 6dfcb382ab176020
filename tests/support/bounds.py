"""Bounds on what a test may use: memory by the operating system, steps by counting calls."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

MEGABYTE = 1 << 20


class TooManySteps(BaseException):
    """No `Exception`, so that nobody takes it for an answer."""


@contextmanager
def bounded_memory(megabytes: int) -> Iterator[None]:
    """No more than so many megabytes beyond what there is; what asks for more gets MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    status = Path("/proc/self/statm")
    if status.exists():
        now = int(status.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * MEGABYTE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def bounded_steps(most: int) -> Iterator[None]:
    """No more than so many calls of functions, those in C included.

    Raises:
        TooManySteps: there were more.
    """
    left = most

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal left
        if event in ("call", "c_call"):
            left -= 1
            if left < 0:
                raise TooManySteps(f"more than {most} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)

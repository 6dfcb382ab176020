"""Importing packages from folders that tests compare, without leaving compiled files in them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def importable(folders: Iterable[Path]) -> Iterator[None]:
    """Put the folders on Python's path for a while, and have Python write nothing into them."""
    path, silent = list(sys.path), sys.dont_write_bytecode
    sys.path += map(str, folders)
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path[:] = path
        sys.dont_write_bytecode = silent

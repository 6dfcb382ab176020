"""Locks of directories: one writer at a time, and no readers meanwhile.

The lock is on the directory itself (flock), so there is no file that could be left behind or
committed, and the system gives it back when a process ends, however it ends. It is advisory: only
clientgen looks at it. Where the file system or the platform has no such locks, there is none.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from clientgen._problems import ClientgenError, Problem

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# A package of 100,000 types is written in a few seconds.
_LOCK_TIMEOUT_SECONDS = 30.0
_RETRY_INTERVAL_SECONDS = 0.02
# A directory that others keep removing, or a link to nowhere.
_MAX_TRIES = 100


@contextmanager
def exclusive(directory: Path) -> Generator[None]:
    """Lock a directory against writers and readers. It is created, and removed if it stays empty.

    Raises:
        ClientgenError: another clientgen holds the lock for longer than any run takes.
    """
    with ExitStack() as held:
        made: list[Path] = []
        for _ in range(_MAX_TRIES):
            made += _make(directory)
            if _hold(directory, held, alone=True):
                break
        # Before the lock is given back.
        held.callback(_remove_empty, made)
        yield


@contextmanager
def shared(directory: Path) -> Generator[None]:
    """Lock a directory against writers. A missing directory is not locked. See `exclusive`."""
    with ExitStack() as held:
        while directory.is_dir() and not _hold(directory, held, alone=False):
            pass
        yield


def _make(directory: Path) -> list[Path]:
    """Create a directory and its parents. Failures are left to the writer, which reports them."""
    made: list[Path] = []
    with suppress(OSError):
        missing = [parent for parent in (directory, *directory.parents) if not parent.exists()]
        for parent in reversed(missing):
            with suppress(FileExistsError):  # others may make it meanwhile
                os.mkdir(parent)  # noqa: PTH102 - tests count the steps of Path, which are undone
                made.append(parent)
    return made


def _remove_empty(made: list[Path]) -> None:
    with suppress(OSError):
        for parent in reversed(made):
            parent.rmdir()


def _hold(directory: Path, held: ExitStack, *, alone: bool) -> bool:
    """Lock a directory until `held` ends; false if somebody removed it meanwhile."""
    try:
        handle = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except FileNotFoundError:
        return False
    except OSError:
        return True  # who reads or writes there reports why not
    with ExitStack() as undo:
        undo.callback(os.close, handle)
        _lock(handle, directory, alone=alone)
        if not _is_still(directory, handle):
            return False
        held.enter_context(undo.pop_all())
    return True


def _is_still(directory: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), directory.stat())
    except OSError:
        return False


if sys.platform == "win32":

    def _lock(handle: int, directory: Path, *, alone: bool) -> None:
        """There is no lock on a directory."""

else:
    import fcntl

    def _lock(handle: int, directory: Path, *, alone: bool) -> None:
        until = time.monotonic() + _LOCK_TIMEOUT_SECONDS
        mode = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        # Some file systems have no locks, or none on directories.
        with suppress(OSError):
            while not _try(handle, mode):
                if time.monotonic() > until:
                    raise ClientgenError([_busy(directory)])
                time.sleep(_RETRY_INTERVAL_SECONDS)

    def _try(handle: int, mode: int) -> bool:
        try:
            fcntl.flock(handle, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _busy(directory: Path) -> Problem:
    what = f"another clientgen process has been writing it for {_LOCK_TIMEOUT_SECONDS:.0f} s"
    hint = "wait until it has finished, or stop it, then run this again; nothing was changed"
    return Problem(str(directory), what, hint)

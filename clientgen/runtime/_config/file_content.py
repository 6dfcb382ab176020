"""Reads configuration files, up to a maximum size."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = ["MOST", "read_file"]

MOST = 16 << 20
"""Far more than any kubeconfig, token or bundle of certificates has."""


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a file whose name stands in a configuration: it may be a device that never ends.

    Raises:
        OSError: it cannot be read, or has more than 16 MiB.
    """
    with Path(path).open("rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise OSError(errno.EFBIG, f"it is larger than {MOST >> 20} MiB")
    return content

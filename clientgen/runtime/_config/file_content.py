"""Reads configuration files, up to a maximum size."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

MAX_FILE_BYTES = 16 << 20
"""Far more than a kubeconfig, a token or a bundle of certificates needs."""


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a file that a configuration names.

    The size is limited, because the file may be a device.

    Raises:
        OSError: the file cannot be read, or is larger than 16 MiB.
    """
    with Path(path).open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(errno.EFBIG, f"the file is larger than {MAX_FILE_BYTES >> 20} MiB")
    return content

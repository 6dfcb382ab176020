"""The text of manifests, the place that it comes from, and the error for wrong manifests."""

from __future__ import annotations

from stat import S_ISREG
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pathlib import Path

MAX_TEXT_BYTES = 64 << 20
"""The limit of a file, a response and the output of a program."""


class ManifestError(ValueError):
    """Manifests are not valid. The message has a line for each problem, with its place."""

    __module__ = "clientgen.runtime"  # tracebacks and pickles name the public module


class ManifestText(Struct, frozen=True):
    """The text of manifests, with a name for messages.

    `k.manifests` and `Scheme.load` read it like a string. Their messages begin with its source:
    `ManifestText(rendered, "the chart web")`.
    """

    text: str
    """YAML or JSON documents."""
    source: str
    """The place that the text comes from, such as a URL."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.source}>"  # the text may contain Secrets


def decoded(data: bytes, source: str) -> ManifestText:
    """Return the text of UTF-8 bytes, without a byte order mark.

    Raises:
        ManifestError: the bytes are not UTF-8.
    """
    try:
        return ManifestText(data.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        raise ManifestError(f"{source}: the manifest is not UTF-8 text: {error.reason}") from error


def read_regular_file(path: Path, limit: int, *, refusal: str, hint: str = "") -> bytes:
    """Read a regular file. Reading pipes or devices could block or never end.

    Args:
        path: the path.
        limit: the most bytes that the file may have.
        refusal: what the message says of a path that is not a regular file.
        hint: the end of the message about a file that is too large.

    Raises:
        ManifestError: the path is not a regular file, or the file cannot be read or is too large.
    """
    try:
        if not S_ISREG(path.stat().st_mode):
            raise ManifestError(f"{path}: {refusal}")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ManifestError(
            f"{path}: the file cannot be read: {error.strerror or error}"
        ) from error
    if len(data) > limit:
        raise ManifestError(f"{path}: the file is larger than {limit >> 20} MiB{hint}")
    return data

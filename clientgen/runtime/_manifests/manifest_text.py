"""The text of manifests, the place that it comes from, and the error for wrong manifests."""

from __future__ import annotations

from msgspec import Struct

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

"""From bytes as the network cuts them to lines."""

from __future__ import annotations

from msgspec import MsgspecError, Raw, json

from .._models.codec import DecodeError

__all__ = ["LONGEST_LINE", "LineSplitter", "LineTooLong", "is_whole"]

LONGEST_LINE = 16 << 20
"""No event is longer (client-go: apimachinery's streaming decoder)."""


class LineTooLong(DecodeError):  # noqa: N818 - says what it is
    """A line has no end, or none near enough."""


class LineSplitter:
    """Cuts bytes into lines, wherever the network cut them before."""

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes, without their ends."""
        lines = chunk.split(b"\n")
        last = lines.pop()
        if lines and self._begun:
            lines[0] = self.rest() + lines[0]
        self._begun += last
        return lines

    def feed_block(self, chunk: bytes) -> bytes:
        """The same in one piece: the whole lines, each with its end."""
        end = chunk.rfind(b"\n") + 1
        block = self.rest() + chunk[:end] if end else b""
        self._begun += chunk[end:]
        return block

    def rest(self) -> bytes:
        """What was left after the last line end; empty after that."""
        left = bytes(self._begun)
        self._begun.clear()
        return left

    def check(self) -> None:
        """See to it, before reading on, that what is left can still become a line.

        Raises:
            LineTooLong: it has not ended after 16 MiB.
        """
        if len(self._begun) > LONGEST_LINE:
            self._begun.clear()
            raise LineTooLong(f"a line has not ended after {LONGEST_LINE} bytes")


def is_whole(line: bytes) -> bool:
    """Whether a last line that has no end is JSON all the same, and can be read."""
    try:
        json.decode(line, type=Raw)
    except (MsgspecError, RecursionError):
        return False
    return True

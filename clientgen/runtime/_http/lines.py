"""From bytes as the network cuts them to lines, and to the lines of JSON that a watch is."""

from __future__ import annotations

from msgspec import MsgspecError, Raw, json

from .codec import FrameError

__all__ = ["LONGEST_LINE", "JsonLines", "LineSplitter", "is_whole"]

LONGEST_LINE = 16 << 20
"""No event is longer (client-go: apimachinery's streaming decoder)."""


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
            lines[0] = self._take_begun() + lines[0]
        self._begun += last
        return lines

    def feed_block(self, chunk: bytes) -> bytes:
        """The same in one piece: the whole lines, each with its end."""
        end = chunk.rfind(b"\n") + 1
        block = self._take_begun() + chunk[:end] if end else b""
        self._begun += chunk[end:]
        return block

    def finish(self) -> bytes:
        """Return the rest after the last line end; empty after that."""
        return self._take_begun()

    def check(self) -> None:
        """See to it, before reading on, that what is left can still become a line.

        Raises:
            FrameError: it has not ended after 16 MiB.
        """
        if len(self._begun) > LONGEST_LINE:
            self._begun.clear()
            raise FrameError(f"a line is longer than {LONGEST_LINE} bytes")

    def _take_begun(self) -> bytes:
        begun = bytes(self._begun)
        self._begun.clear()
        return begun


class JsonLines(LineSplitter):
    """Cuts a stream of JSON into its lines: the frames of a watch."""

    __slots__ = ()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes, without those that are blank."""
        return [line for line in super().feed(chunk) if line.strip()]

    def finish(self) -> bytes:
        """Return the rest after the last line end, which is a line if it is whole JSON.

        Raises:
            FrameError: it is not.
        """
        last = super().finish()
        if last and not is_whole(last):
            raise FrameError("the connection ended in the middle of an event")
        return last


def is_whole(line: bytes) -> bool:
    """Tell whether a last line that has no end is JSON all the same, and can be read."""
    try:
        json.decode(line, type=Raw)
    except (MsgspecError, RecursionError):
        return False
    return True

"""Splits streams into lines: logs, and watches, whose events are lines of JSON."""

from __future__ import annotations

from msgspec import MsgspecError, Raw, json

from .codec import FrameError

MAX_LINE_BYTES = 16 << 20
"""The limit of client-go for events (apimachinery's streaming decoder)."""


class LineSplitter:
    """Splits chunks of bytes into lines. A line may span chunks."""

    __slots__ = ("_unfinished_line",)

    def __init__(self) -> None:
        self._unfinished_line = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that this chunk completes, without line ends."""
        lines = chunk.split(b"\n")
        last = lines.pop()
        if lines and self._unfinished_line:
            lines[0] = self._take_unfinished_line() + lines[0]
        self._unfinished_line += last
        return lines

    def feed_block(self, chunk: bytes) -> bytes:
        """Return the lines that this chunk completes as one block, with line ends."""
        end = chunk.rfind(b"\n") + 1
        block = self._take_unfinished_line() + chunk[:end] if end else b""
        self._unfinished_line += chunk[end:]
        return block

    def finish(self) -> bytes:
        """Return and remove the bytes after the last line end."""
        return self._take_unfinished_line()

    def check(self) -> None:
        """Check before the next read that the unfinished line is not too long.

        Raises:
            FrameError: the line is longer than 16 MiB.
        """
        if len(self._unfinished_line) > MAX_LINE_BYTES:
            self._unfinished_line.clear()
            raise FrameError(f"a line is longer than {MAX_LINE_BYTES} bytes")

    def _take_unfinished_line(self) -> bytes:
        begun = bytes(self._unfinished_line)
        self._unfinished_line.clear()
        return begun


class JsonLines(LineSplitter):
    """Splits the stream of a watch into its frames, which are lines of JSON."""

    __slots__ = ()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that this chunk completes, without blank lines."""
        return [line for line in super().feed(chunk) if line.strip()]

    def finish(self) -> bytes:
        """Return the bytes after the last line end: a frame without a line end, or nothing.

        Raises:
            FrameError: the bytes are not complete JSON.
        """
        last = super().finish()
        if last and not is_whole(last):
            raise FrameError("the connection ended in the middle of an event")
        return last


def is_whole(line: bytes) -> bool:
    """Return whether a line without a line end is complete JSON."""
    try:
        json.decode(line, type=Raw)
    except (MsgspecError, RecursionError):
        return False
    return True

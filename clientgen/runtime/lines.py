"""From bytes as the network cuts them to lines."""

from __future__ import annotations

from msgspec import MsgspecError, Raw, json

__all__ = ["LineSplitter", "is_whole"]


class LineSplitter:
    """Cuts bytes into lines, wherever the network cut them before."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes, without their ends."""
        lines = chunk.split(b"\n")
        last = lines.pop()
        if lines and self._parts:
            self._parts.append(lines[0])
            lines[0] = b"".join(self._parts)
            self._parts.clear()
        if last:
            self._parts.append(last)
        return lines

    def feed_block(self, chunk: bytes) -> bytes:
        """The same in one piece: the whole lines, each with its end."""
        end = chunk.rfind(b"\n") + 1
        if not end:
            self._parts.append(chunk)
            return b""
        block = b"".join((*self._parts, chunk[:end]))
        self._parts.clear()
        if end < len(chunk):
            self._parts.append(chunk[end:])
        return block

    def rest(self) -> bytes:
        """What was left after the last line end; empty after that."""
        left = b"".join(self._parts)
        self._parts.clear()
        return left


def is_whole(line: bytes) -> bool:
    """Whether a last line that has no end is JSON all the same."""
    try:
        json.decode(line, type=Raw)
    except MsgspecError:
        return False
    return True

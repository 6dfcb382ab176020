"""The comments of a module: in blocks, as the markers of Go are read.

The block directly above a class and the one above that, after a blank line, speak of the class
(gengo's "closest" and "second closest"); the block directly above a field speaks of the field.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clientgen.generator.genclient import MarkerLine
from clientgen.generator.genclient_markers import extract_markers

# A word after a plus sign and nothing behind it, or what markers have behind theirs.
_MARKER = re.compile(r"\+[A-Za-z][\w.-]*(?:[:=(]|$)", re.ASCII)
_FAMILIES = ("+genclient", "+kubebuilder")
# Layout leaves one blank line between two blocks; black makes two of it above a class.
_BLANKS = (1, 2)


@dataclass(frozen=True, slots=True)
class Block:
    """Comment lines without a line between them, from the line `start` to the line `end`."""

    start: int
    end: int
    column: int
    markers: tuple[tuple[int, str], ...]

    def lines(self, file: str) -> tuple[MarkerLine, ...]:
        """The markers in it."""
        return tuple(MarkerLine(text, f"{file}:{line}") for line, text in self.markers)


class Comments:
    """Every comment of a source. The reader takes the blocks, one by one."""

    def __init__(self, data: bytes) -> None:
        lines = data.splitlines()
        self._blank = {n for n, line in enumerate(lines, start=1) if not line.strip()}
        self.trailing: list[tuple[int, str]] = []
        alone = [(line, column, text) for line, column, text in self._read(data)]
        self._by_end = {block.end: block for block in _blocks(alone)}
        self._used_lines: set[int] = set()

    def _read(self, data: bytes) -> Iterator[tuple[int, int, str]]:
        """Lines that are comments; markers behind code are kept apart."""
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type != tokenize.COMMENT:
                continue
            (line, column), text = token.start, token.string.lstrip("#").strip()
            if token.line[:column].strip():
                if is_marker(text):
                    self.trailing.append((line, text))
            else:
                yield line, column, text

    def above(self, line: int) -> Block | None:
        """Take the block directly above a line."""
        return self._take(self._by_end.get(line - 1))

    def second_above(self, line: int, column: int) -> Block | None:
        """Take the block above a line, with a blank line between them."""
        for blanks in _BLANKS:
            block = self._by_end.get(line - 1 - blanks)
            between = range(line - blanks, line)
            if block and block.column == column and self._blank.issuperset(between):
                return self._take(block)
        return None

    def left(self) -> list[Block]:
        """The blocks with markers that nobody took, in order."""
        blocks = (block for end, block in self._by_end.items() if end not in self._used_lines)
        return sorted((b for b in blocks if b.markers), key=lambda block: block.start)

    def _take(self, block: Block | None) -> Block | None:
        if block is None or block.end in self._used_lines:
            return None
        self._used_lines.add(block.end)
        return block


def is_marker(text: str) -> bool:
    """Return whether a comment speaks to generators: `+1 for this` and `+ an item` do not."""
    if not text.startswith("+"):
        return False
    meant = text.startswith(_FAMILIES) or bool(_MARKER.match(text))
    return meant or bool(extract_markers(text, ""))


def _blocks(comments: Iterable[tuple[int, int, str]]) -> Iterator[Block]:
    run: list[tuple[int, int, str]] = []
    for comment in comments:
        if run and (comment[0] != run[-1][0] + 1 or comment[1] != run[-1][1]):
            yield _block(run)
            run = []
        run.append(comment)
    if run:
        yield _block(run)


def _block(run: list[tuple[int, int, str]]) -> Block:
    markers = tuple((line, text) for line, _, text in run if is_marker(text))
    return Block(run[0][0], run[-1][0], run[0][1], markers)

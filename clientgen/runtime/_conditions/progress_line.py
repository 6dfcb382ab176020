"""One line of a terminal that shows the progress of a call."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from typing import Self

_CLEAR = "\r\x1b[2K"
_USUAL_COLUMNS = 80


class ProgressLine:
    """Shows progress in the last line of the terminal, for `on_progress`.

        with ProgressLine() as show:
            k.manifests(Path("deploy")).apply(wait=120, on_progress=show)

    A new state replaces the old one. The line is removed at the end of the block. Nothing is
    written if standard error is not a terminal.

    Args:
        file: the terminal; by default standard error.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        given: Any = sys.stderr if file is None else file
        self._file: TextIO = given
        self._is_used = given is not None and _is_terminal(given)
        self._is_shown = False

    def __call__(self, state: str) -> None:
        """Show a state. Without a terminal, do nothing."""
        if self._is_used:
            self._write(f"{_CLEAR}{_fitted(state, _columns(self._file))}")
            self._is_shown = True

    def clear(self) -> None:
        """Remove the line."""
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.clear()

    def _write(self, text: str) -> None:
        """Write at once. A terminal that was closed ends the progress, not the call."""
        try:
            self._file.write(text)
            self._file.flush()
        except (OSError, ValueError):
            self._is_used = False


def _is_terminal(file: TextIO) -> bool:
    try:
        return file.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # the file is closed
        return False


def _columns(file: TextIO) -> int:
    try:
        return os.get_terminal_size(file.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def _fitted(state: str, columns: int) -> str:
    """Return a state without control characters, cut so that it takes one line."""
    text = "".join(each if each.isprintable() else " " for each in state)
    width = 0
    for index, each in enumerate(text):
        width += 0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1
        if width >= columns:  # a full last column would wrap in some terminals
            return f"{text[: max(0, index - 2)]}…"
    return text

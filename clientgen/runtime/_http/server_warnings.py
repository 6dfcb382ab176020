"""Warnings from the server: deprecated APIs, unknown fields, admission policies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LoggedOnce", "warnings_in"]

_WARNING = re.compile(r'(\d{3}) \S+ "((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")

# A program that runs for months may meet many texts.
_REMEMBERED = 1000


def warnings_in(header: str) -> Iterator[str]:
    """The texts of a Warning header, of which only those of code 299 are meant for us.

    https://kubernetes.io/docs/reference/using-api/deprecation-policy/ describes the header.
    """
    for code, text in _WARNING.findall(header):
        if code == "299":
            yield _ESCAPED.sub(r"\1", text)


class LoggedOnce:
    """The default handler: each text goes once to the logger `clientgen.warnings`."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def __call__(self, text: str) -> None:
        """Log a text, unless it was before."""
        if text in self._logged:
            return
        if len(self._logged) >= _REMEMBERED:
            self._logged.clear()
        self._logged.add(text)
        import logging  # most programs are never warned

        logging.getLogger("clientgen.warnings").warning("%s", text)

"""The header of generated files, such as a licence: code-generator's `--go-header-file`.

It stands below the first line, by which clientgen recognizes its files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from clientgen._problems import ClientgenError, Problem
from clientgen.generator.sources.files import read_file
from clientgen.generator.sources.spec import Input

_HINT: Final = "Name a text file with the header, such as a licence."
# The comments of Go and Python, so that one file serves both.
_SIGNS: Final = re.compile(r"^\s*(?:#+!?|//+|/\*+|\*+/|\*(?=\s|$))?\s?")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029]")


def gather(path: Path, root: Path) -> Input:
    """Read a header file.

    Raises:
        ClientgenError: it cannot be read.
    """
    shown = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
    return Input("header-file", shown, read_file(path, shown, _HINT))


def parse(header: Input) -> str:
    """Return the lines of a header as comments of Python and YAML.

    Raises:
        ClientgenError: it is no text, or empty.
    """
    try:
        text = header.data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ClientgenError([Problem(header.shown, "it is not UTF-8", _HINT)]) from None
    if control := _CONTROLS.search(text):
        what = f"it has the control character {control[0]!r}"
        raise ClientgenError([Problem(header.shown, what, "remove it")])
    lines = [_SIGNS.sub("", line).removesuffix("*/").rstrip() for line in text.split("\n")]
    body = "\n".join(lines).strip("\n")
    if not body:
        raise ClientgenError([Problem(header.shown, "it is empty", _HINT)])
    return "\n".join(f"# {line}".rstrip() for line in body.split("\n"))


def with_header(text: str, header: str) -> str:
    """Put a header below the first line of a file."""
    if not header:
        return text
    first, _, rest = text.partition("\n")
    # A comment in the second line could name the encoding of a Python file (PEP 263).
    return f"{first}\n#\n{header}\n\n{rest}"

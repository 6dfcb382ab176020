"""The only way of foreign text into Python source.

Descriptions, enum values, property names and whatever else a document says reach generated code as
what these functions make of it: a string literal, a docstring, or a name that is checked to be one.
Each result is one token of Python, whatever the text says, so a text can never be code.
"""

from __future__ import annotations

import keyword
import re
import textwrap

WIDTH = 100

MARK = "\u2135"
"""The letter by which names are marked that `unasync` must not exchange: taking it off again must
not change what others wrote. No literal holds it as itself, and Python's parser reads it as another
letter, so that no class is called by it."""

_PARAGRAPHS = re.compile(r"\n\s*\n")
_LAID_OUT = re.compile(r"\s|[-*+\d]")
DELIMITER = '"""'
# Two quotes end nothing, and are easier to read than escapes.
_QUOTES = re.compile(r'"{3,}')
# One before the end would be taken for the end.
_QUOTES_OF_LINE = re.compile(r'"{3,}|"\Z')
_WORD = re.compile(r"[-A-Za-z0-9._/]+")
_ESCAPED_MARK = f"\\u{ord(MARK):04x}"


def quoted(text: str) -> str:
    """A string literal of exactly this text, as black writes it.

    It has double quotes where that needs no more escapes; what cannot be printed is escaped.
    """
    literal = repr(text).replace(MARK, _ESCAPED_MARK)
    if literal[0] == '"' or text.count('"') > text.count("'"):
        return literal
    body = literal[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def said_by(text: str) -> str:
    """Return a text as a docstring can hold it: printable, with a tab as four blanks."""
    text = text.replace("\t", "    ")
    if text.replace("\n", "").isprintable():
        return text
    return "".join(map(_printed, text))


def _printed(char: str) -> str:
    if char == "\n" or char.isprintable():
        return char
    return " " if char.isspace() else ""


def docstring(text: str, indent: int) -> str:
    """A docstring of the words of any text, filled, as black writes it.

    Its first line comes without indentation. Words, their order and paragraphs are those of
    `said_by(text)`. A text without words is `…`.
    """
    lines = _filled(text, WIDTH - indent)
    # Black does not change a docstring in which a line ends in a backslash.
    if not any(line.endswith("\\") for line in lines[:-1]):
        lines = _as_black_writes(lines)
    return _indented(lines, indent)


def attribute_docstring(text: str, indent: int) -> str:
    """A docstring of an attribute, filled; see `docstring`. black leaves these as they are."""
    return _indented(_filled(text, WIDTH - indent), indent)


def _filled(text: str, width: int) -> list[str]:
    """The lines of a docstring, with its quotes."""
    words = said_by(text).strip() or "…"
    if "\n" not in words:
        line = _escaped(words, _QUOTES_OF_LINE)
        if len(line) + 2 * len(DELIMITER) <= width:
            return [f"{DELIMITER}{line}{DELIMITER}"]
    first, *rest = _PARAGRAPHS.split(_escaped(words, _QUOTES))
    opening = _paragraph(first, width, initial_indent=" " * len(DELIMITER)).lstrip()
    paragraphs = [opening, *(_paragraph(part, width) for part in rest)]
    return [*(DELIMITER + "\n\n".join(paragraphs)).split("\n"), DELIMITER]


def _indented(lines: list[str], indent: int) -> str:
    """All lines but the first, indented."""
    first, *others = lines
    return "\n".join([first, *(" " * indent + line if line else "" for line in others)])


def _as_black_writes(lines: list[str]) -> list[str]:
    """Lines that start at the left, on one line if it is one, with quotes apart from quotes."""
    first, *others, last = (
        lines if len(lines) > 1 else [lines[0].removesuffix(DELIMITER), DELIMITER]
    )
    if first.startswith(DELIMITER + '"'):
        first = first.replace(DELIMITER, DELIMITER + " ", 1)
    if not others:
        return [first + (" " if first.endswith('"') else "") + last]
    common = min(len(line) - len(line.lstrip()) for line in others if line)
    return [first, *(line[common:] for line in others), last]


def _escaped(text: str, quotes: re.Pattern[str]) -> str:
    """The source between triple quotes. No escape has a blank in it, so filling breaks none."""
    text = text.replace("\\", "\\\\").replace(MARK, _ESCAPED_MARK)
    return quotes.sub(lambda found: '\\"' * len(found[0]), text)


def _paragraph(text: str, width: int, initial_indent: str = "") -> str:
    """Prose is filled; lines that are laid out (lists, examples) stay lines, folded if need be."""
    lines = [line.rstrip() for line in text.split("\n")]
    if not any(_LAID_OUT.match(line) for line in lines[1:]):
        lines = [" ".join(lines)]
    first, *rest = lines
    filled = [_fill(first, width, initial_indent), *(_fill(line, width) for line in rest)]
    return "\n".join(filled)


def _fill(line: str, width: int, initial_indent: str = "") -> str:
    return textwrap.fill(
        line,
        width=width,
        initial_indent=initial_indent,
        subsequent_indent=" " * (len(line) - len(line.lstrip())),
        break_long_words=False,
        break_on_hyphens=False,
    )


def identifier(name: str) -> str:
    """A name that source may hold as it is.

    Raises:
        ValueError: it is none. Names are checked where they are read, so this is a bug.
    """
    if name.isidentifier() and MARK not in name and not keyword.iskeyword(name):
        return name
    raise ValueError(f"{name!r} is not a name that generated code may contain")


def word(text: str) -> str:
    """A word of the API for the middle of a docstring or comment: a kind, `apps/v1`, `status`.

    Raises:
        ValueError: it is none; see `identifier`.
    """
    if _WORD.fullmatch(text):
        return text
    raise ValueError(f"{text!r} is not a word that generated code may contain")


def module_name(name: str) -> str:
    """A module as import statements write it, relative or not; see `identifier`."""
    bare = name.lstrip(".")
    for part in bare.split(".") if bare else ():
        identifier(part)
    return name

"""Recognizes source that black leaves as it is, so that black need not read it.

Each line is of a kind: an import, the head of a method, an argument. A grammar says in which order
lines of these kinds may follow each other, and with how many blank lines between them. It knows
the forms that templates and `layout` make, and no others. Source that is not recognized is not
wrong: it is left to black.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from clientgen.generator.layout import argument, attribute
from clientgen.generator.literals import DELIMITER, WIDTH

# ---- lines --------------------------------------------------------------------------------------

# Strings as black writes them; an f-string counts as one. Those of other forms are left to black.
_STRING = re.compile(
    r"""(?<![\w"'])"""
    r'(?:f?"[^"\\\n]*(?:\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})[^"\\\n]*)*"'
    r"""|'[^'"\\\n]*"[^'\\\n]*')(?![\w"'])"""
)
_NAME = r"[A-Za-z_]\w*"
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_UNION = rf"{_PATH}(?: \| {_PATH})*"
_DEFAULT = rf"(?:{_PATH}|0|[1-9][0-9]*)"
_ITEM = rf"(?:(?:\*\*)?(?:{_NAME}: {_UNION}(?: = {_DEFAULT})?|(?:{_NAME}=)?{_UNION})|\*)"
# Brackets without brackets inside. With the name before them they are like a name.
_BRACKETS = re.compile(
    rf"(?:(?<=[\w\[])\[{_ITEM}(?:, {_ITEM})*\]"
    rf"|(?<=\w)\({_ITEM}(?:, {_ITEM})*\)|(?<=\w)\(\)(?!:)"
    rf"|(?<==)\({_PATH}(?:,|(?:, {_PATH})+)\)"
    r"|(?<= = )(?:\[\]|\{\}))(?!\w)",
    re.ASCII,
)
_IMPORTED = rf"{_NAME}(?: as {_NAME})?"
_KINDS = {
    "#": r"\# [A-Z][-\w.,/ ]*(?<! )",
    "I": rf"from \.*(?:{_PATH})? import (?:\*|{_IMPORTED}(?:, {_IMPORTED})*)",
    "i": rf"from \.*(?:{_PATH})? import \(",
    "C": rf"class {_NAME}:",
    "c": rf"class {_NAME}\(",
    "@": rf"@{_PATH}",
    "F": rf"(?:async )?def {_NAME}(?: -> {_UNION})?:",
    "E": rf"(?:async )?def {_NAME}(?: -> {_UNION})?: \.\.\.",
    "f": rf"(?:async )?def {_NAME}\(",
    "B": rf"if {_NAME}(?: (?:is|is not|in|not in) {_NAME})?:",
    "S": (
        rf"{_NAME}: {_UNION}(?: = {_PATH})?"
        rf"|{_PATH} \+?= {_PATH}(?: or {_PATH})?"
        rf"|(?:return |raise )(?:await )?{_PATH}"
        rf"|(?:await )?(?!S$){_PATH}"
    ),
    "s": (
        rf"(?:{_NAME}: {_UNION} = |{_PATH} = |return |return await |await )?{_PATH}\("
        rf"|{_NAME}(?:: {_UNION})? = [\[{{]"
    ),
    ",": rf"{_ITEM},|{_NAME} as {_NAME},",
    "o": rf"{_NAME}=\(|{_NAME}: [\[{{]|\{{",
    ";": r"[)\]}],",
    ")": r"[)\]}]",
    ":": rf"\)(?: -> {_UNION})?:",
}
_LINE = re.compile(
    "|".join(f"(?P<k{n}>{pattern})" for n, pattern in enumerate(_KINDS.values())), re.ASCII
)
_KIND_OF = {f"k{n}": kind for n, kind in enumerate(_KINDS)}


@cache
def _code(line: str) -> str:
    """Return the indentation and kind of a line of code in two letters; "" without a kind."""
    bare = line.lstrip(" ")
    level, odd = divmod(len(line) - len(bare), 4)
    kind = _kind(bare)
    return f"{level}{kind}" if kind and not odd and len(line) <= WIDTH else ""


def _kind(line: str) -> str:
    if not line.isascii():
        return ""  # black counts some letters as two
    flat, count = _STRING.sub("S", line), 1
    while count:
        flat, count = _BRACKETS.subn("N", flat)
    match = _LINE.fullmatch(flat)
    return _KIND_OF[match.lastgroup or ""] if match else ""


# ---- what takes several lines -------------------------------------------------------------------

# Words between triple quotes, with no escapes but those that black leaves alone.
_WORDS = r'[^\\"]*(?:(?:"(?!"")|\\[\\"]|\\u[0-9a-f]{4})[^\\"]*)*'
_TEXT = re.compile(rf"{DELIMITER}{_WORDS}{DELIMITER}")
# A quote at either end of a docstring stands apart from the delimiter.
_BEGIN = r'(?:(?![ "])| (?="))'
_END = r'(?:(?<![ "\\])|(?<=" ))'
_ONE_LINE = re.compile(rf"{DELIMITER}{_BEGIN}[^\n]+{_END}{DELIMITER}")
_FIRST_LINE = re.compile(rf"{DELIMITER}{_BEGIN}.*(?<![ \\])")

_ARGUMENT = re.compile(rf"        ({_NAME}: )\((.*)\),", re.ASCII)
_FOLDED = re.compile(rf"    ({_NAME}): (.*?)(?: = (.*))?", re.ASCII)


def _string_kind(lines: Sequence[str], start: int) -> tuple[str, int]:
    """The kind of the string at `start` and the line behind it; 0 if black might change it.

    Its kind is D for a docstring as black writes it, and T for another text: black leaves those of
    attributes as they are.
    """
    end = start + 1
    opening = lines[start].lstrip(" ")
    if DELIMITER not in opening[len(DELIMITER) :]:
        while end < len(lines) and DELIMITER not in lines[end]:
            end += 1
        end += 1
    taken = lines[start:end]
    whole = "\n".join(taken).lstrip(" ")
    level, odd = divmod(len(lines[start]) - len(opening), 4)
    if odd or not _TEXT.fullmatch(whole) or not all(map(str.isprintable, taken)):
        return "", 0
    pad = "    " * level
    kind = "D" if _ONE_LINE.fullmatch(whole) or _is_docstring(opening, taken[1:], pad) else "T"
    return f"{level}{kind}", end


def _is_docstring(first: str, other_lines: Sequence[str], pad: str) -> bool:
    """Return whether a docstring of several lines is as black writes it."""
    *inner, last = other_lines or [""]
    if last != pad + DELIMITER or not inner or not inner[-1] or not _FIRST_LINE.fullmatch(first):
        return False
    if any((line and not line.startswith(pad)) or line.endswith((" ", "\\")) for line in inner):
        return False
    return any(line and line[len(pad)] != " " for line in inner)


def _attribute(lines: Sequence[str], start: int) -> int:
    """The line behind the attribute at `start`; 0 if `layout` would fold it otherwise."""
    end = start + 1
    while end < len(lines) and (lines[end][:5] in {"     ", "    )", "    ]"}):
        end += 1
    joined = _joined(lines[start:end])
    parts = _FOLDED.fullmatch(joined)
    if parts is None or max(map(len, lines[start:end])) > WIDTH or _kind(joined.lstrip()) != "S":
        return 0
    name, annotation, value = parts.groups(default="")
    return end if attribute(name, annotation, value).split("\n") == lines[start:end] else 0


def _argument(lines: Sequence[str], start: int) -> int:
    """The line behind the argument of a method at `start`; 0 if `layout` would fold it otherwise.

    Its type is a union between parentheses.
    """
    end = start + 1
    while end < len(lines) and lines[end].startswith(" " * 9):
        end += 1
    end += 1
    if end > len(lines):  # nothing closes it
        return 0
    parts = _ARGUMENT.fullmatch(_on_one_line(lines[start:end]))
    if parts is None or _kind(f"{parts[1]}{parts[2]},") != ",":
        return 0
    return end if argument(parts[1] + parts[2], 8).split("\n") == lines[start:end] else 0


def _on_one_line(lines: Sequence[str]) -> str:
    """An argument on one line, with its parentheses."""
    first, *others = lines
    *inner, last = others or [""]
    return first + " ".join(map(str.strip, inner)) + last.strip()


def _joined(lines: Sequence[str]) -> str:
    """An attribute on one line, as it would be if lines had no end."""
    first, *other_lines = lines
    text = first
    for line in map(str.strip, other_lines):
        if line[:1] in {")", "]"}:
            text = text.removesuffix(",")
        elif not text.endswith(("(", "[")):
            text += " "
        text += line
    return re.sub(r"(: | = )\((.*?)\)(?= = |$)", r"\1\2", text)


# ---- their order --------------------------------------------------------------------------------


def _folded(level: int, head: str, end: str, depth: int = 0) -> str:
    """An opened line, lines that end in a comma, and the line that closes.

    `depth` says how often the lines between may be folded themselves.
    """
    inner = level + 1
    nested = f"|{_folded(inner, 'o', ';', depth - 1)}" if depth else ""
    return f"{level}{head}(?:{inner},{nested})+{level}{end}"


def _import(level: int) -> str:
    return f"(?:{level}I|{_folded(level, 'i', '[)]')})"


def _imports(level: int) -> str:
    return f"{_import(level)}(?:_?{_import(level)})*"


def _statement(level: int) -> str:
    depth = 0 if level else 2
    return f"(?:{level}S|{_folded(level, 's', '[)]', depth)})"


def _function(level: int) -> str:
    inner = level + 1
    block = f"{inner}B{_statement(inner + 1)}+"
    body = f"(?:(?:{_imports(inner)}_)?{_statement(inner)}|{block})"
    head = f"(?:{level}@)?(?:{level}F|{_folded(level, 'f', ':')})"
    return f"{head}(?:{inner}D{body}*|{body}+)"


_CLASS_HEAD = f"(?:0C|{_folded(0, 'c', ':', 1)})1D"
_LAST = r"(?=__0|_1[@fFEB]|$)"
_ATTRIBUTES = f"{_statement(1)}(?:_?{_statement(1)}|1[DT](?:_{_statement(1)}|{_LAST}))*"
_METHOD = f"(?:1@1E)*{_function(1)}"
_CHECKED = "1B_2E"  # only type checkers see it
_MEMBERS = f"(?:{_ATTRIBUTES}(?:_{_METHOD})*(?:_{_CHECKED})?|{_METHOD}(?:_{_METHOD})*)"
_INNER_CLASS = f"1C2D_{_statement(2)}+"
_INNER_CLASSES = f"{_INNER_CLASS}(?:_{_INNER_CLASS})*"
_UNIT = f"(?:{_CLASS_HEAD}(?:_(?:{_MEMBERS}|{_INNER_CLASSES}))?|{_function(0)})"
# One empty line between two of these belongs to none of them, so that there is one way to read it.
_BLOCK = f"(?:{_import(0)}+|{_statement(0)}+|0B{_imports(1)})"
_HEAD = f"0#0D(?:_{_BLOCK})*"
_OTHERS = f"(?:__(?:{_UNIT}|{_statement(0)}))*(?:__(?:0#)?{_imports(0)})?"
_UNITS = f"{_UNIT}{_OTHERS}"
# After imports black leaves one line before a statement.
_STATEMENT_FIRST = f"{_HEAD}_{_statement(0)}+__{_statement(0)}{_OTHERS}"
_MODULE = re.compile(f"{_HEAD}(?:__{_UNITS})?|{_STATEMENT_FIRST}|{_UNITS}")


def is_laid_out(source: str) -> bool:
    """Return whether black is known to leave a module, or some classes of one, as they are."""
    *lines, end = source.split("\n")
    codes = _codes(lines)
    return not end and bool(codes) and _MODULE.fullmatch("".join(codes)) is not None


def _codes(lines: Sequence[str]) -> list[str]:
    """The kinds of lines; nothing if one is of none."""
    codes: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        bare = line.lstrip(" ")
        if bare.startswith(DELIMITER):
            code, end = _string_kind(lines, at)
        elif code := _code(line) if line else "_":
            end = at + 1
        elif line.startswith(" " * 8):
            code, end = "2,", _argument(lines, at)
        else:
            code, end = "1S", _attribute(lines, at)
        if not end:
            return []
        codes.append(code)
        at = end
    return codes

"""Texts that try to be more than texts."""

from __future__ import annotations

from clientgen.generator.literals import MARK

__all__ = ["PIECES", "TEXTS"]

PIECES = (
    # what ends strings, lines and files
    *('"', "'", '"""', "'''", "\\", "\\\\", "\n", "\r", "\t", "\0", "\x0c", "\x1c", "\x85"),
    # what is dropped on the way, or cannot be encoded
    *("\xa0", "\u200b", "\u2028", "\u202e", "\ufeff", "\ud800", "\udfff", "\U0010ffff"),
    # what derivation exchanges, and its marks
    *(MARK, f"_{MARK}", "_\ua66e", "aio", "AsyncX", "async def f(", "await x(", "AsyncJob"),
    # what templates, formats and escapes begin with
    *("#", "{{", "}}", "{%", "${x}", "%s", "\\N{DASH}", "\\x", "\\u", "\\", "*/"),
    # what is laid out
    *(" ", "  ", "\n\n", "- ", "1. ", "x" * 120, "+genclient", "open('pwned','w')"),
)
"""Pieces to put together."""

TEXTS = (
    'x"\u200b""; open("pwned", "w") #',
    'x"""\nopen("pwned", "w")\n"""',
    '"""',
    'a"""',
    "a\\",
    'a\\"',
    '\\"""\\',
    "x', timeout=open('pwned', 'w'), z='",
    'x", timeout=open("pwned", "w"), z="',
    "x\nopen('pwned', 'w')",
    "x\ropen('pwned', 'w')",
    "\N{LINE SEPARATOR}open('pwned', 'w')",
    "{{ cycler.__init__.__globals__.os.system('touch pwned') }}",
    "{% for x in () %}",
    f"_{MARK}x",
    f'"_{MARK}""; open("pwned", "w") #',
    "_\ua66ex",
    "\ud800",
    "\0",
    "\n",
    "",
)
"""Whole attacks."""

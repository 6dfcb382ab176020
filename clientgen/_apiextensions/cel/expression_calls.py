"""Calls in the text of an expression: found outside of literals and comments, and replaced."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A literal without an end goes to the end of the text, so that it is looked at once.
_LITERAL = r"""[rR]?(?P<quote>'''|\"\"\"|'|")(?:\\.|(?!(?P=quote)).)*(?:(?P=quote)|\Z)"""


@cache
def _tokens(call: str) -> re.Pattern[str]:
    return re.compile(rf"{_LITERAL}|//[^\n]*|(?P<call>{call})|[()]", re.DOTALL)


def find_call(text: str, call: str) -> re.Match[str] | None:
    """Return the first match of the pattern of a call."""
    return next(find_calls(text, call), None)


def find_calls(text: str, call: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the pattern of a call, as the group `call`."""
    return (token for token in _tokens(call).finditer(text) if token["call"])


def with_calls(text: str, call: str, replaced: Callable[[str], tuple[str, str]]) -> str:
    """Replace calls in an expression; one whose parentheses do not match stays as it is.

    Args:
        text: the expression.
        call: the pattern of the calls, the opening parenthesis included.
        replaced: what is written instead of it, and instead of the closing parenthesis.
    """
    out: list[str] = []
    open_: list[str] = []
    end = 0
    for token in _tokens(call).finditer(text):
        out.append(text[end : token.start()])
        end = token.end()
        if token["call"]:
            begin, close = replaced(token["call"])
            out.append(begin)
            open_.append(close)
        elif token[0] == "(":
            out.append("(")
            open_.append(")")
        elif token[0] == ")":
            if not open_:
                return text
            out.append(open_.pop())
        else:
            out.append(token[0])
    return text if open_ else "".join([*out, text[end:]])

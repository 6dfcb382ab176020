"""The only way of foreign text into HTML.

`element` escapes each text and each value of an attribute. Only what `element` itself has made
(`Html`) goes in as it is, so that no text of a package can be markup.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CODE: Final = re.compile(r"(`[^`\n]+`)")
_LAID_OUT: Final = (" ", "-", "*")
# Tags without an end.
_EMPTY: Final = frozenset({"meta", "link", "input"})
# Their ends end a line, so that people can compare two pages.
_BLOCKS: Final = frozenset(
    {
        *("header", "main", "nav", "footer", "section", "div", "details", "summary"),
        *("h1", "h2", "h3", "p", "pre", "ul", "ol", "li", "dl", "dt", "dd"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
)
# Characters that no page may have; a browser would show a replacement, or end there.
# Marks that turn the direction of writing could show a text that is not there.
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: str) -> Html:
    """A text as HTML."""
    return Html(escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", value), quote=True))


def element(tag: str, *children: str, **attributes: str | bool) -> Html:
    """An element.

    Args:
        tag: its name.
        children: texts, which are escaped, and elements.
        attributes: values, which are escaped; `class_` and `for_` are `class` and `for`, other
            underscores are hyphens. True is an attribute without a value, False is none.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY:
        return Html(f"<{tag}{written}>")
    end = "\n" if tag in _BLOCKS else ""
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>{end}")


def joined(children: Iterable[str]) -> Html:
    """Texts and elements behind each other."""
    return Html("".join(each if isinstance(each, Html) else text(each) for each in children))


def prose(value: str) -> Html:
    """Paragraphs of a text; words in backticks are code, and lines that are laid out stay lines."""
    return joined(_paragraph(each) for each in value.split("\n\n") if each.strip())


def inline(value: str) -> Html:
    """A text in which words in backticks are code."""
    return joined(_inline(value))


def _paragraph(value: str) -> Html:
    if any(line.startswith(_LAID_OUT) for line in value.split("\n")):
        return element("p", *_inline(value), class_="lines")
    return element("p", *_inline(" ".join(value.split())))


def _inline(value: str) -> Iterator[str]:
    for part in _CODE.split(value):
        is_code = len(part) > 1 and part.startswith("`") and part.endswith("`")
        yield element("code", part[1:-1]) if is_code else part


def _attribute(name: str, value: str | bool) -> str:
    written = name.rstrip("_").replace("_", "-")
    if isinstance(value, bool):
        return f" {written}" if value else ""
    return f' {written}="{text(value)}"'

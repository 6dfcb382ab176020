"""The page of the exceptions that calls raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen.reference.site.file_names import anchors
from clientgen.reference.site.html import element, prose
from clientgen.reference.site.page import code, page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clientgen.reference.records import ErrorClass

ERRORS: Final = "errors.html"
MODULE: Final = "clientgen.runtime.errors"
TITLE: Final = "Errors"


def error_anchors(errors: Sequence[ErrorClass]) -> dict[str, str]:
    """The anchor of each exception."""
    return anchors("e", (each.name for each in errors))


def errors_page(package: str, errors: Sequence[ErrorClass], home: str) -> str:
    """The page; `home` is the path of the page above it."""
    ids = error_anchors(errors)
    sections = (
        element(
            "section",
            element("h2", element("a", each.name, href=f"#{ids[each.name]}")),
            element("p", "It is a ", *_bases(each, ids), "."),
            prose(each.text),
            id=ids[each.name],
        )
        for each in errors
    )
    return page(
        ERRORS,
        TITLE,
        [(package, home)],
        package,
        element("h1", TITLE),
        prose("Calls of all clients raise these exceptions. `ClientError` is the base of all."),
        code(f"from {MODULE} import ClientError", label="Import"),
        *sections,
    )


def _bases(error: ErrorClass, ids: dict[str, str]) -> list[str]:
    parts: list[str] = []
    for base in error.bases:
        parts += [" and a "] * bool(parts)
        name = element("code", base)
        parts.append(element("a", name, href=f"#{ids[base]}") if base in ids else name)
    return parts

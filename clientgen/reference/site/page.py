"""What all pages share: head, search, path and footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen.reference.site.html import Html, element, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clientgen.reference.records import Piece
    from clientgen.reference.site.file_names import Paths

GENERATOR: Final = "clientgen docs"
STYLE: Final = "assets/reference.css"
SEARCH: Final = "assets/search.js"
INDEX: Final = "assets/search-index.js"
# Nothing of a page comes from elsewhere. Browsers take `file:` for pages in a folder.
_POLICY: Final = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    path: str, title: str, crumbs: Sequence[tuple[str, str]], package: str, *content: str
) -> str:
    """A whole page.

    Args:
        path: of the page, from the top of the site.
        title: of the page, without the name of the package.
        crumbs: names and paths of the pages above it, the highest first.
        package: whose reference it is.
        content: of its main part.
    """
    root = to_root(path)
    whole = f"{title} - {package}" if title != package else package
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=GENERATOR),
        element("meta", name="color-scheme", content="light dark"),
        element("title", whole),
        element("link", rel="icon", href="data:,"),
        element("link", rel="stylesheet", href=f"{root}{STYLE}"),
        element("script", src=f"{root}{SEARCH}", defer=True),
    )
    body = element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", _title(root, package), _search()),
        _crumbs(root, crumbs, title),
        element("main", *content, id="content", tabindex="-1"),
        element("footer", element("p", f"Made by {GENERATOR} from the package {package}.")),
        data_root=root,
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}\n{body}</html>\n'


def to_root(path: str) -> str:
    """The way from a page to the top of the site: `../../`."""
    return "../" * path.count("/")


def line_of(pieces: Iterable[Piece], paths: Paths, root: str) -> Html:
    """A line of Python, with links to types that have a page."""
    return joined(
        element("a", piece.text, href=f"{root}{paths.of(piece.type)}")
        if piece.type is not None and piece.type in paths
        else piece.text
        for piece in pieces
    )


def code(*content: str, label: str) -> Html:
    """A block of code, which the keyboard can scroll."""
    return element("pre", element("code", *content), tabindex="0", role="region", aria_label=label)


def _title(root: str, package: str) -> Html:
    return element("a", f"{package} reference", href=f"{root}index.html", class_="home")


def _search() -> Html:
    hint = "Press / to search kinds, fields, verbs, errors and paths such as pods.spec.containers."
    return element(
        "div",
        element("label", "Search", for_="search"),
        element(
            "input",
            id="search",
            type="search",
            autocomplete="off",
            spellcheck="false",
            aria_describedby="search-hint",
        ),
        element("p", hint, id="search-hint", class_="hint"),
        element("p", id="search-status", role="status", class_="hint"),
        element("ul", id="results", aria_label="Search results", hidden=True),
        role="search",
        class_="search",
    )


def _crumbs(root: str, crumbs: Sequence[tuple[str, str]], title: str) -> Html:
    items = [element("li", element("a", name, href=f"{root}{path}")) for name, path in crumbs]
    here = element("li", element("span", title, aria_current="page"))
    return element("nav", element("ol", *items, here), aria_label="Path of this page")

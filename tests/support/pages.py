"""Reads HTML pages in tests: their tags, attributes, links and text."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

EMPTY = {"meta", "link", "input"}


class Page(HTMLParser):
    """A page: what its tags, attributes and texts are. It fails on a tag that is not closed."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def values(self, name: str) -> list[str]:
        """The values of an attribute."""
        return [value for _, each, value in self.attributes if each == name]

    @property
    def text(self) -> str:
        """All text."""
        return "".join(self.texts)


def broken_links(pages: Mapping[str, Page], files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield links and assets that lead to no file, or to an anchor that is not there."""
    ids = {path: set(page.values("id")) for path, page in pages.items()}
    for path, page in pages.items():
        for link in [*page.values("href"), *page.values("src")]:
            if link == "data:,":
                continue
            target, anchor = urldefrag(link)
            folder = posixpath.dirname(path)
            place = posixpath.normpath(posixpath.join(folder, unquote(target))) if target else path
            if place not in files or (anchor and anchor not in ids.get(place, ())):
                yield f"{path}: {link}"

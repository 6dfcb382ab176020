"""A check of the built site: every link leads somewhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements whose address a browser loads by itself.
LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src"}
LOADED_RELATIONS = {"stylesheet", "icon", "preconnect", "preload", "modulepreload", "manifest"}
# docs/reference/api/models.md explains them.
OF_MSGSPEC = {"clientgen.runtime.models.Raw", "clientgen.runtime.models.field"}
CSS_ADDRESS = re.compile(r"(?:url\(|@import\s+)['\"]?((?:https?:)?//[^'\")\s;]+)")


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.headings = 0
        self.title = ""
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to."""
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.anchors.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and LOADED_RELATIONS & set(found.get("rel", "").split()):
            self.loaded.append(found.get("href", ""))
        elif tag in LOADED and LOADED[tag] in found:
            self.loaded.append(found[LOADED[tag]])
        self.headings += tag == "h1"
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        """Note the title."""
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        """Note the end of the title."""
        if tag == "title":
            self._in_title = False


def problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with a built site."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no pages"
    titles: dict[str, Path] = {}
    for path, page in pages.items():
        name = path.relative_to(site)
        if name.name == "404.html":  # its links are from the root of the site
            continue
        yield from (f"{name}: {each}" for each in _of_page(page, path, site, pages))
        other = titles.setdefault(page.title, name)
        if other != name:
            yield f"{name}: it has the title of {other}: {page.title}"
    for sheet in sorted(site.rglob("*.css")):
        for address in CSS_ADDRESS.findall(sheet.read_text("utf-8")):
            yield f"{sheet.relative_to(site)}: it loads {address}"


def without_a_text(site: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the public names that no page of the reference explains."""
    texts = (page.read_text("utf-8") for page in site.glob("reference/api/*/index.html"))
    explained = {name for text in texts for name in re.findall(r'id="([\w.]+)"', text)}
    for name in sorted({*names} - explained - OF_MSGSPEC):
        yield f"the reference does not explain {name}: it has no docstring"


def _of_page(page: Page, path: Path, site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    if page.headings != 1:
        yield f"it has {page.headings} headings of the first level"
    for address in page.loaded:
        if urlsplit(address).netloc:
            yield f"it loads {address}"
        elif not _file(address, path, site).is_file():
            yield f"it loads {address}, which does not exist"
    for address in page.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        there = _file(address, path, site)
        if not there.is_file():
            yield f"a link leads nowhere: {address}"
        elif there in pages and unquote(parts.fragment) not in {"", *pages[there].anchors}:
            yield f"a link leads to an anchor that does not exist: {address}"


def _file(address: str, page: Path, site: Path) -> Path:
    """Return the file that a browser would get."""
    path = unquote(urlsplit(address).path)
    if not path:
        return page
    there = (site / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
    return there / "index.html" if there.is_dir() else there

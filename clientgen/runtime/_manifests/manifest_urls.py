"""URLs of manifests: which are fetched, and what their answers mean."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

from ..errors import one_line
from .manifest_text import ManifestError, ManifestText, decoded

if TYPE_CHECKING:
    from .._http.request import HttpResponse

MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_OK: Final = 200
# The characters of a path or query that are not quoted again.
_SAFE: Final = "/%:@!$&'()*+,;=?~-._[]"


class ManifestUrl(Struct, frozen=True):
    """A URL. `str` shows it without its query, which may contain a token."""

    server: str
    """The scheme, host and port: `https://example.com`."""
    path: str
    query: str

    @classmethod
    def parse(cls, url: str, *, allow_http: bool) -> ManifestUrl:
        """Read a URL.

        Raises:
            ValueError: the URL is not one of https, or with `allow_http` of http; or it contains a
                user name. The message does not quote the URL.
        """
        try:
            parts = urlsplit(url)
            has_host = bool(parts.hostname) and parts.port != 0
        except ValueError:
            raise ValueError("it is not a URL") from None
        if parts.scheme == "http" and not allow_http:
            raise ValueError("http is not encrypted; use https, or allow_http=True")
        if parts.scheme not in ("https", "http"):
            raise ValueError("it must begin with https://")
        if not has_host:
            raise ValueError("it has no host")
        if "@" in parts.netloc:
            raise ValueError("it contains a user name, and no credentials are sent")
        path, query = (quote(text, safe=_SAFE) for text in (parts.path or "/", parts.query))
        return cls(f"{parts.scheme}://{parts.netloc}", path, query)

    @property
    def target(self) -> str:
        """The path and the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self) -> str:
        return one_line(f"{self.server}{self.path}")

    def redirect(self, response: HttpResponse, *, allow_http: bool) -> ManifestUrl | None:
        """Return the URL to which a response redirects; None if it is no redirect.

        Raises:
            ManifestError: the response redirects to what is not fetched.
        """
        location = response.headers.get("Location")
        if response.status not in _REDIRECTS or not location:
            return None
        with suppress(ValueError):  # `parse` refuses what cannot be joined
            location = urljoin(f"{self.server}{self.target}", location)
        try:
            return ManifestUrl.parse(location, allow_http=allow_http)
        except ValueError as error:
            raise ManifestError(f"{self}: redirects to another URL, but {error}") from None

    def text(self, response: HttpResponse) -> ManifestText:
        """Return the text of a response.

        Raises:
            ManifestError: the response is an error or a web page.
        """
        if response.status != _OK:
            raise ManifestError(f"{self}: the server answered {response.status}")
        kind = (response.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        if kind in ("text/html", "application/xhtml+xml"):
            raise ManifestError(
                f"{self}: this is a web page; pass the URL of the file itself (its raw form)"
            )
        return decoded(response.body, str(self))

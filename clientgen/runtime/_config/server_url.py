"""The URLs of servers and proxies: what is accepted, and how it is written down."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

__all__ = ["base_url", "proxy_address", "without_password"]

_PROXY_SCHEMES = ("http://", "https://", "socks5://")


def base_url(server: str, *, secure: bool) -> str:
    """The URL that every path of the API is appended to: no query, no fragment, no last slash.

    A server without a scheme is `host` or `host:port`; `secure` decides between https and http
    (client-go: rest.DefaultServerURL).

    Raises:
        ValueError: when it is no URL, with what is wrong. The text is safe to show.
    """
    text = server.strip()
    if "://" in text:
        parts = _split(text)
    else:
        parts = _split(f"{'https' if secure else 'http'}://{text}")
        if parts.path.strip("/"):
            raise ValueError("is neither a URL nor host:port; put https:// in front")
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"has the scheme {parts.scheme!r}; it must be https or http")
    if "@" in parts.netloc:
        raise ValueError("contains a user name; put username and password into the user entry")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def proxy_address(proxy: str) -> str:
    """Check the URL of a proxy: http, https or socks5 (client-go: parseProxyURL).

    Raises:
        ValueError: when it is none, with what is wrong. The text is safe to show.
    """
    if not proxy.lower().startswith(_PROXY_SCHEMES):
        raise ValueError("must begin with http://, https:// or socks5://")
    parts = _split(proxy.strip())
    return f"{parts.scheme}://{parts.netloc}"


def without_password(url: str) -> str:
    """The URL as it may be shown: what stands before an `@` is hidden."""
    scheme, mark, rest = url.rpartition("://")
    return f"{scheme}{mark}***@{rest.rpartition('@')[2]}" if "@" in rest else url


def _split(url: str) -> SplitResult:
    """Take a URL apart; the texts of urllib's errors quote the URL, so they are not passed on."""
    if any(character.isspace() or not character.isprintable() for character in url):
        raise ValueError("contains a space or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("is not a URL: the host or the port is malformed") from None
    if not parts.hostname or port == 0:
        raise ValueError("is not a URL: it names no host" if port != 0 else "has the port 0")
    return parts

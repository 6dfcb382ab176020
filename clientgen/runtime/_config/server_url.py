"""Checks and normalizes the URLs of servers and proxies."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

_PROXY_SCHEMES = ("http://", "https://", "socks5://")


def base_url(server: str, *, secure: bool) -> str:
    """Return the URL to which API paths are appended, without query, fragment and final slash.

    A server without a scheme is `host` or `host:port`. `secure` chooses between https and http
    (client-go: rest.DefaultServerURL).

    Raises:
        ValueError: the URL is not valid. The message does not quote it.
    """
    text = server.strip()
    if "://" in text:
        parts = _split_url(text)
    else:
        parts = _split_url(f"{'https' if secure else 'http'}://{text}")
        if parts.path.strip("/"):
            raise ValueError("is neither a URL nor host:port; begin with https://")
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"has the scheme {parts.scheme!r}; it must be https or http")
    if "@" in parts.netloc:
        raise ValueError("contains a user name; put username and password into the user entry")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def proxy_address(proxy: str) -> str:
    """Check the URL of a proxy: http, https or socks5 (client-go: parseProxyURL).

    Raises:
        ValueError: the URL is not valid. The message does not quote it.
    """
    if not proxy.lower().startswith(_PROXY_SCHEMES):
        raise ValueError("must begin with http://, https:// or socks5://")
    parts = _split_url(proxy.strip())
    return f"{parts.scheme}://{parts.netloc}"


def without_password(url: str) -> str:
    """Return the URL with everything before an `@` hidden, for messages."""
    scheme, separator, rest = url.rpartition("://")
    return f"{scheme}{separator}***@{rest.rpartition('@')[2]}" if "@" in rest else url


def _split_url(url: str) -> SplitResult:
    """Split a URL. The errors do not quote the URL, which may be secret; errors of urllib do."""
    if any(character.isspace() or not character.isprintable() for character in url):
        raise ValueError("contains a space or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("is not a URL: the host or the port is malformed") from None
    if not parts.hostname or port == 0:
        raise ValueError("is not a URL: the host is missing" if port != 0 else "has the port 0")
    return parts

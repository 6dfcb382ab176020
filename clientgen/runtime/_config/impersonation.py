"""The headers that ask the API server to treat a request as somebody else's.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

from ..errors import ConfigError

if TYPE_CHECKING:
    from .cluster_config import Impersonation

__all__ = ["impersonation_headers"]

# The characters of a token (RFC 9110), without the percent sign, which begins escapes.
_LEGAL = frozenset((string.ascii_letters + string.digits + "!#$&'*+-.^_`|~").encode())
# Control characters, and half surrogates, which have no UTF-8.
_UNSENDABLE = re.compile("[\\x00-\\x1f\\x7f\\ud800-\\udfff]")


def impersonation_headers(impersonation: Impersonation) -> list[tuple[str, str]]:
    """The headers as pairs; names repeat, so they do not fit in a dict.

    Keys of `extra` go into header names: lower-cased, and percent-encoded where a name may not
    hold the byte (client-go: headerKeyEscape). Values are sent as UTF-8.

    Raises:
        ConfigError: when a value holds a control character, which no header may carry.
    """
    headers = [("Impersonate-User", impersonation.user)]
    if impersonation.uid:
        headers.append(("Impersonate-Uid", impersonation.uid))
    headers += [("Impersonate-Group", group) for group in impersonation.groups]
    for key, values in impersonation.extra.items():
        name = f"Impersonate-Extra-{_escape(key)}"
        headers += [(name, value) for value in values]
    for name, value in headers:
        if _UNSENDABLE.search(value):
            raise ConfigError(
                f"impersonation: {name} contains a character that HTTP headers do not allow"
            )
    return headers


def _escape(key: str) -> str:
    """Lower-case as the server would, and encode what a header name may not hold."""
    return "".join(
        chr(byte) if byte in _LEGAL else f"%{byte:02X}"
        for byte in key.lower().encode(errors="surrogatepass")
    )

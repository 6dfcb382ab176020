"""The headers of impersonation: the API server treats the request as a request of another user.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

from ..errors import ConfigError

if TYPE_CHECKING:
    from .cluster_config import Impersonation

# The characters of a token (RFC 9110), without the percent sign, which begins escapes.
_LEGAL_NAME_BYTES = frozenset((string.ascii_letters + string.digits + "!#$&'*+-.^_`|~").encode())
# Control characters, and halves of surrogate pairs, which cannot be encoded as UTF-8.
_UNSENDABLE = re.compile("[\\x00-\\x1f\\x7f\\ud800-\\udfff]")


def impersonation_headers(impersonation: Impersonation) -> list[tuple[str, str]]:
    """Return the headers as pairs, because names may repeat.

    The keys of `extra` become parts of header names: in lower case, with percent-encoding for bytes
    that names may not contain (client-go: headerKeyEscape). Values are sent as UTF-8.

    Raises:
        ConfigError: a value contains a character that headers do not allow.
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
    """Convert a key to lower case, as the server does, and percent-encode illegal bytes."""
    return "".join(
        chr(byte) if byte in _LEGAL_NAME_BYTES else f"%{byte:02X}"
        for byte in key.lower().encode(errors="surrogatepass")
    )

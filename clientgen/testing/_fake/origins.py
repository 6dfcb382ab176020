"""Checks of the origin of requests: without tokens, programs may send them, web pages may not.

A page can reach servers on the machine of who reads it. It cannot leave out the headers by which
this module knows it: `Host` has the page's own name where that name was made to lead here (DNS
rebinding), and writes have an `Origin`. `kubectl proxy` guards itself by the first as well.

Pages of the machine itself may write, but not what a browser sends without asking the server first:
a form, a text, or a body of no type at all. The types of the first two are refused to everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clientgen._apimachinery.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_origin"]

_OWN: Final = frozenset(["localhost", "127.0.0.1", "::1"])
_READING: Final = ("GET", "HEAD", "OPTIONS")


def check_origin(method: str, headers: Iterable[tuple[str, str]]) -> None:
    """Refuse what a page in a browser may have sent.

    Raises:
        Failure: 403, `Host` names another machine, or a write has another machine's `Origin`; 415,
            a POST has an `Origin` and no `Content-Type`.
    """
    is_from_page = has_type = False
    for name, value in headers:
        key = name.lower()
        is_from_page |= key == "origin"
        has_type |= key == "content-type" and bool(value.strip())
        if key == "host" and _host(f"//{value}") not in _OWN:
            raise _refused(f"the Host {value!r}")
        if key == "origin" and method not in _READING and _host(value) not in _OWN:
            raise _refused(f"a {method} from the web page {value!r}")
    if method == "POST" and is_from_page and not has_type:
        why = "a POST from a web page needs a Content-Type, such as application/json"
        raise Failure(415, "UnsupportedMediaType", why, details=False)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _refused(what: str) -> Failure:
    why = (
        f"{what} is refused: a server without a token is for localhost, 127.0.0.1 and [::1] alone; "
        "start it with a token for others"
    )
    return Failure(403, "Forbidden", why, details=False)

"""Who may send requests to a server that asks for no token: programs, not the pages of a browser.

A page can reach servers on the machine of who reads it. It cannot leave out the headers by which
this module knows it: `Host` has the page's own name where that name was made to lead here (DNS
rebinding), and writes have an `Origin`. `kubectl proxy` guards itself by the first as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from .apiserver.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_origin"]

_OWN: Final = frozenset(["localhost", "127.0.0.1", "::1"])
_READING: Final = ("GET", "HEAD", "OPTIONS")


def check_origin(method: str, headers: Iterable[tuple[str, str]]) -> None:
    """Refuse what a page in a browser may have sent.

    Raises:
        Failure: 403, `Host` names another machine, or a write has another machine's `Origin`.
    """
    for name, value in headers:
        key = name.lower()
        if key == "host" and _host(f"//{value}") not in _OWN:
            raise _refused(f"the Host {value!r}")
        if key == "origin" and method not in _READING and _host(value) not in _OWN:
            raise _refused(f"a {method} from the web page {value!r}")


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

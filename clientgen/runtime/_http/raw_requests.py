"""Requests to any path of the API server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from .._models.arguments import type_of, unexpected_option
from .client_headers import check_free
from .request import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .request import Headers

_METHOD: Final = re.compile(r"[A-Z]+").fullmatch
_PATH_SEPARATORS: Final = re.compile(r"[/\\]")
_SAFE: Final = "/%:@!$&'()*+,;=-._~"
_OPTIONS: Final = frozenset({"query", "headers", "body", "timeout"})
# Headers that `raw` may set, although clients set them.
_SETTABLE: Final = frozenset({"accept", "content-type"})


def server_request(method: str, path: str, options: Mapping[str, Any]) -> HttpRequest:
    """Return a request to a path of the API server.

    The media types are JSON, if `headers` has no others.

    Raises:
        TypeError: An argument has a wrong type, or an option does not exist.
        ValueError: As `raw_request`; or a header is one that the client sets.
    """
    for name in options:
        if name not in _OPTIONS:
            raise unexpected_option(name, _OPTIONS)
    headers = dict(options.get("headers") or {})
    for name in headers:
        if name.lower() not in _SETTABLE:
            check_free(name)
    given = {name.lower() for name in headers}
    if "accept" not in given:
        headers["Accept"] = "application/json, */*"
    if "content-type" not in given and options.get("body") is not None:
        headers["Content-Type"] = "application/json"
    return raw_request("", method, path, options, tuple(headers.items()))


def raw_request(
    base: str, method: str, path: str, options: Mapping[str, Any], headers: Headers
) -> HttpRequest:
    """Return a request to a path below `base`.

    Args:
        base: The path before `path`.
        method: The method.
        path: The path and query.
        options: `query` and `body`.
        headers: The headers.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: The path has a `.` or `..` segment, or an argument is not valid.
    """
    if not _METHOD(str(method)):
        raise ValueError(f"method must be a word in capitals, such as GET, not {method!r}")
    target = base + _checked_path(path) + _query_string(path, options.get("query"))
    return HttpRequest(method, target, headers, _body(options.get("body")))


def check_no_dry_run(request: HttpRequest, defaults: Mapping[str, Any]) -> None:
    """Check that a request of a client for dry runs does not write.

    Raises:
        ValueError: It may write: only its sender knows where a dry run is named.
    """
    is_read = request.method in {"GET", "HEAD", "OPTIONS"}
    if defaults.get("dry_run") and not is_read and "dryRun=" not in request.target:
        raise ValueError(
            f"raw {request.method}: this client makes dry runs only (with_(dry_run=True)): add"
            ' query={"dryRun": "All"}, or use a client without this default'
        )


def _checked_path(path: object) -> str:
    from urllib.parse import quote, unquote  # few programs need it

    if not isinstance(path, str) or not path.startswith("/"):
        raise ValueError(f"path must begin with '/', such as '/metrics', not {path!r}")
    bare, mark, query = path.partition("?")
    # The API server decodes and cleans paths, so `..` would lead to another object.
    if any(part in {".", ".."} for part in _PATH_SEPARATORS.split(unquote(bare))):
        raise ValueError(f"path must not have '.' or '..' as a part: {path!r}")
    try:
        return quote(bare, safe=_SAFE) + mark + quote(query, safe=_SAFE + "?")
    except UnicodeEncodeError:
        raise ValueError(f"path must be valid Unicode, without lone surrogates: {path!r}") from None


def _query_string(path: str, query: Mapping[str, Any] | None) -> str:
    if not query:
        return ""
    from urllib.parse import urlencode

    return ("&" if "?" in path else "?") + urlencode(query, doseq=True)


def _body(body: object) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    raise TypeError(f"body must be bytes or text, not {type_of(body)}")

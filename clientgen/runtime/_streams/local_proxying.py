"""The rules of a local port to the API server: which requests pass, and with which headers.

kubectl: pkg/proxy/proxy_server.go. The port must not help web pages in a browser of this machine: a
page whose name leads to 127.0.0.1 has another Host, and a page of another site has an Origin, or a
Sec-Fetch-Site.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import h11

from .._http.request import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .._http.request import Headers

ACCEPT_PATHS: Final = ("^.*",)
REJECT_PATHS: Final = ("^/api/.*/pods/.*/exec", "^/api/.*/pods/.*/attach")
ACCEPT_HOSTS: Final = ("^localhost$", r"^127\.0\.0\.1$", r"^\[?::1\]?$")
MAX_HEAD_BYTES: Final = 1 << 16
MAX_BODY_BYTES: Final = 64 << 20

_FORBIDDEN: Final = 403
_BAD_REQUEST: Final = 400
_is_path: Final = re.compile(r"/(?:[^%?#\x00-\x20\x7f]|%[0-9a-fA-F]{2})*").fullmatch
_has_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_separators: Final = re.compile(r"[/\\]")
_slashes: Final = re.compile(r"/{2,}")
_origin: Final = re.compile(r"https?://([^/]*)").fullmatch
# Headers of a connection, and those that the client sets for each request: a program must not
# replace the credentials or the impersonation of the client.
_OWN: Final = frozenset(
    (
        *("accept-encoding", "authorization", "connection", "content-length", "expect", "host"),
        *("keep-alive", "origin", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
_OWN_PREFIX: Final = "impersonate-"
# The body of a response arrives decompressed, and gets a frame of its own.
_NOT_RETURNED: Final = frozenset(
    (
        *("connection", "content-encoding", "content-length", "keep-alive", "proxy-authenticate"),
        *("trailer", "transfer-encoding", "upgrade"),
    )
)
_UPGRADE: Final = ("connection", "upgrade", "sec-websocket-accept", "sec-websocket-protocol")


class RequestRefusedError(Exception):
    """A request that does not pass.

    Attributes:
        status: The status of the answer.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ProxyFilter:
    """Decides which requests pass.

    Args:
        accept_paths: Regular expressions: a path must match one of them.
        reject_paths: Regular expressions: a path must match none of them.
        accept_hosts: Regular expressions: the host of the header Host must match one of them.
        reject_methods: Regular expressions: a method must match none of them.

    Raises:
        TypeError: An argument is not a list of texts.
        ValueError: A text is not a regular expression.
    """

    def __init__(
        self,
        accept_paths: Sequence[str] = ACCEPT_PATHS,
        reject_paths: Sequence[str] = REJECT_PATHS,
        accept_hosts: Sequence[str] = ACCEPT_HOSTS,
        reject_methods: Sequence[str] = (),
    ) -> None:
        self._accept_paths = _compiled("accept_paths", accept_paths)
        self._reject_paths = _compiled("reject_paths", reject_paths)
        self._accept_hosts = _compiled("accept_hosts", accept_hosts)
        self._reject_methods = _compiled("reject_methods", reject_methods)

    def check(self, request: h11.Request) -> None:
        """Check whether a request passes.

        Raises:
            RequestRefusedError: It does not.
        """
        method = request.method.decode("ascii")
        path = _decoded_path(request.target.decode("ascii"))
        hosts = _values(request, b"host")
        if len(hosts) != 1 or not _matches(_host(hosts[0]), self._accept_hosts):
            raise RequestRefusedError(_FORBIDDEN, "the header Host names another host")
        if not self._is_from_here(request):
            raise RequestRefusedError(_FORBIDDEN, "the request comes from another site")
        # Servers in front of the API server may merge slashes.
        passes = all(map(self._passes, {path, _slashes.sub("/", path)}))
        if not passes or _matches(method, self._reject_methods):
            raise RequestRefusedError(_FORBIDDEN, "the filters of the proxy reject the request")

    def _is_from_here(self, request: h11.Request) -> bool:
        """Return whether no web page of another site has made the request.

        Browsers send no Origin with images, links and scripts, but all send Sec-Fetch-Site.
        """
        if origins := _values(request, b"origin"):
            found = [_origin(each) for each in origins]
            return all(each and _matches(_host(each[1]), self._accept_hosts) for each in found)
        return "cross-site" not in _values(request, b"sec-fetch-site")

    def _passes(self, path: str) -> bool:
        return _matches(path, self._accept_paths) and not _matches(path, self._reject_paths)


def is_upgrade(request: h11.Request) -> bool:
    """Return whether a request asks for a WebSocket."""
    options = ",".join(_values(request, b"connection")).lower().split(",")
    protocols = [each.lower() for each in _values(request, b"upgrade")]
    return "upgrade" in map(str.strip, options) and protocols == ["websocket"]


def upstream_request(request: h11.Request, body: bytes, *, upgrade: bool) -> HttpRequest:
    """Return the request to the API server."""
    listed = ",".join(_values(request, b"connection")).lower().split(",")
    dropped = _OWN | set(map(str.strip, listed))
    headers = [
        (name, value)
        for name, value in _decoded_headers(request.headers.raw_items())
        if name.lower() not in dropped and not name.lower().startswith(_OWN_PREFIX)
    ]
    if upgrade:
        headers += [("Connection", "Upgrade"), ("Upgrade", "websocket")]
    method, target = request.method.decode("ascii"), request.target.decode("ascii")
    return HttpRequest(method, target, tuple(headers), body or None)


def response_head(status: int, headers: Mapping[str, str]) -> h11.Response:
    """Return the head of a response of the API server."""
    kept = [(k, v) for k, v in headers.items() if k.lower() not in _NOT_RETURNED]
    return h11.Response(status_code=status, headers=_encoded([*kept, ("Connection", "close")]))


def upgrade_head(headers: Mapping[str, str]) -> h11.InformationalResponse:
    """Return the head of a response that opens a WebSocket."""
    kept = [(k, v) for k, v in headers.items() if k.lower() in _UPGRADE]
    return h11.InformationalResponse(status_code=101, headers=_encoded(kept))


def refusal(status: int, message: str) -> tuple[h11.Response, bytes]:
    """Return the response to a request that does not pass."""
    body = f"{message}\n".encode()
    headers = [
        *(("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))),
        *(("X-Content-Type-Options", "nosniff"), ("Connection", "close")),
    ]
    return h11.Response(status_code=status, headers=_encoded(headers)), body


def _compiled(name: str, patterns: Sequence[str]) -> list[re.Pattern[str]]:
    if isinstance(patterns, str):
        raise TypeError(f"{name} takes a list of regular expressions, not one text")
    try:
        return [re.compile(each) for each in patterns]
    except re.error as error:
        raise ValueError(f"{name}: not a regular expression: {error}") from None


def _matches(text: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def _decoded_path(target: str) -> str:
    """Return the path as the API server will see it.

    Raises:
        RequestRefusedError: The target is not a path, or the server would change the path.
    """
    bare = target.partition("?")[0]
    if not _is_path(bare):
        raise RequestRefusedError(_BAD_REQUEST, "the target of the request is not a path")
    path = unquote(bare)
    if _has_control(path) or any(each in {".", ".."} for each in _separators.split(path)):
        raise RequestRefusedError(
            _BAD_REQUEST, "the path has a control character, or '.' or '..' as a part"
        )
    return path


def _host(header: str) -> str:
    host, colon, port = header.strip().lower().rpartition(":")
    return host if colon and port.isdigit() else header.strip().lower()


def _values(request: h11.Request, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in request.headers if key == name]


def _decoded_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    return tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in headers)


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode("latin-1", "replace"), value.encode("utf-8", "surrogateescape"))
        for name, value in headers
    ]

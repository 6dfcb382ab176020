"""Responses of http.client that skip informational responses, and whose headers are read quickly.

http.client parses headers as those of e-mail, which takes a fifth of the CPU time of a small
request.
"""

from __future__ import annotations

import re
from http.client import HTTPException, HTTPMessage, HTTPResponse, LineTooLong, UnknownProtocol
from http.client import parse_headers as parse_as_mail
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import BinaryIO

_FIRST_INFORMATIONAL_STATUS, _SWITCHING_PROTOCOLS_STATUS, _FIRST_FINAL_STATUS = 100, 101, 200
_WITHOUT_BODY = frozenset({_SWITCHING_PROTOCOLS_STATUS, 204, 304})
# Go accepts five informational responses.
_MAX_INFORMATIONAL_RESPONSES = 100
_MAX_HEADER_LINES = 100  # with the empty line, as in http.client
_MAX_LINE_BYTES = 65536  # as in http.client
# HTTP/0.9 is what some old servers call HTTP/1.0.
_VERSIONS = {"HTTP/0.9": 10, "HTTP/1.0": 10, "HTTP/1.1": 11}
_PLAIN_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)\r?\n").fullmatch


class FinalResponse(HTTPResponse):
    """A response that skips all informational (1xx) responses. http.client skips only status 100.

    RFC 9110, 15.2: a client must be able to parse one or more 1xx responses before a final one.
    """

    def begin(self) -> None:
        """Read the status line and the headers.

        Raises:
            HTTPException: the server does not speak HTTP/1, or sent too much.
        """
        own: Any = self  # several attributes are not in the types of http.client
        if own.headers is not None:
            return
        version, own.status, reason = self._read_status()
        if not version.startswith("HTTP/1.") and version not in _VERSIONS:
            raise UnknownProtocol(version)
        own.code, own.reason = own.status, reason.strip()
        own.version = _VERSIONS.get(version, 11)
        own.headers = own.msg = _read_headers(own.fp)
        own.chunked = own.headers.get("transfer-encoding", "").lower() == "chunked"
        own.chunk_left = None
        own.length = self._body_length()
        is_endless = own.length is None and not own.chunked
        own.will_close = own._check_close() or is_endless

    def _body_length(self) -> int | None:
        """Return the length of the body; None if the headers do not tell."""
        own: Any = self
        if self.status in _WITHOUT_BODY or own._method == "HEAD":
            return 0
        try:
            length = -1 if own.chunked else int(self.headers.get("content-length", -1))
        except ValueError:
            return None
        return length if length >= 0 else None

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(_MAX_INFORMATIONAL_RESPONSES):
            plain: Any = super()
            status_line: tuple[str, int, str] = plain._read_status()
            status = status_line[1]
            is_informational = _FIRST_INFORMATIONAL_STATUS <= status < _FIRST_FINAL_STATUS
            if not is_informational or status == _SWITCHING_PROTOCOLS_STATUS:
                return status_line
            _header_lines(self.fp)
        raise HTTPException("too many informational (1xx) responses")


def _read_headers(body: BinaryIO) -> HTTPMessage:
    """Read headers. Lines that are not plain are left to the parser of http.client."""
    lines, headers = _header_lines(body), HTTPMessage()
    for line in lines:
        plain = _PLAIN_LINE(line)
        if plain is None:
            return parse_as_mail(BytesIO(b"".join(lines)))
        headers.set_raw(plain[1].decode("ascii"), plain[2].decode("latin-1"))
    return headers


def _header_lines(body: BinaryIO) -> list[bytes]:
    """Read the lines up to the empty line that ends headers.

    Raises:
        HTTPException: there are too many lines, or one is too long.
    """
    lines: list[bytes] = []
    while (line := body.readline(_MAX_LINE_BYTES + 1)) not in {b"\r\n", b"\n", b""}:
        if len(line) > _MAX_LINE_BYTES:
            raise LineTooLong("header line")
        lines.append(line)
        if len(lines) >= _MAX_HEADER_LINES:
            raise HTTPException("too many headers")
    return lines

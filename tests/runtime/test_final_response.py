"""Heads of responses are read as http.client reads them."""

import socket
from http.client import HTTPException, HTTPResponse

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clientgen.runtime._net.final_response import FinalResponse

LINES = st.sampled_from(
    [
        b"Content-Length: 7\r\n",
        b"content-length:0\n",
        b"Content-Length: -3\r\n",
        b"Content-Length: seven\r\n",
        b"Content-Length:\r\n",
        b"Transfer-Encoding: Chunked\r\n",
        b"Connection: close\r\n",
        b"Connection: keep-alive\r\n",
        b'Warning: 299 - "a"  \r\n',
        b'Warning: 299 - "\xe4"\r\n',
        b" folded\r\n",
        b"no colon\r\n",
        b"b\xe4d name: x\r\n",
        b": nameless\r\n",
        b"From someone\r\n",
        b"Two: parts\rThree: more\r\n",
        b"Zero: \x00\r\n",
        b"Spaced : x\r\n",
    ]
)
STATUS_LINES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 200 OK\r\n",
        b"HTTP/0.9 200\r\n",
        b"HTTP/1.7 404   Not Found \n",
        b"HTTP/1.1 204 No Content\r\n",
        b"HTTP/1.1 304 Not Modified\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n",
        b"HTTP/2 200 OK\r\n",
        b"HTTP/1.1 99 no\r\n",
        b"SMTP ready\r\n",
    ]
)


def read(kind: type[HTTPResponse], head: bytes, method: str) -> object:
    """What is known after the head, or the kind of the error."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(head)
        theirs.close()
        with kind(ours, method=method) as response:
            try:
                response.begin()
            except HTTPException as error:
                return type(error)
            known = (response.status, response.reason, response.version, response.headers.items())
            return known, response.chunked, response.length, response.will_close


@given(STATUS_LINES, st.lists(LINES, max_size=5), st.sampled_from(["GET", "HEAD"]))
@example(b"HTTP/1.1 200 OK\r\n", [b"X: y\r\n"] * 99, "GET")
@example(b"HTTP/1.1 200 OK\r\n", [b"X: y\r\n"] * 100, "GET")
@example(b"HTTP/1.1 200 OK\r\n", [b"X: " + b"y" * 65536 + b"\r\n"], "GET")
@pytest.mark.parametrize("end", [b"\r\n", b"\n", b""])
def test_a_head_is_read_as_by_http_client(end, status_line, lines, method):
    head = status_line + b"".join(lines) + end + (b"7 bytes" if end else b"")
    assert read(FinalResponse, head, method) == read(HTTPResponse, head, method)

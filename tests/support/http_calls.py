"""Requests of tests to endpoints, over a real socket; they block."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import trustme


class Answer(NamedTuple):
    status: int
    text: str
    headers: dict[str, str]


def call(
    address: str,
    method: str,
    path: str,
    body: bytes | Iterator[bytes] | None = None,
    headers: dict[str, str] | None = None,
    *,
    tls: ssl.SSLContext | None = None,
) -> Answer:
    connection: Any
    if tls is None:
        connection = http.client.HTTPConnection(address, timeout=60)
    else:
        connection = http.client.HTTPSConnection(address, timeout=60, context=tls)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        names = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, text, names)
    finally:
        connection.close()


def contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS for a server and for its client."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    return context, trusting


def connected(address: str, trusting: ssl.SSLContext | None = None) -> socket.socket:
    host, port = address.split(":")
    plain = socket.create_connection((host, int(port)), timeout=20)
    return trusting.wrap_socket(plain, server_hostname=host) if trusting else plain


def everything(connection: socket.socket) -> bytes:
    """Read until the server ends a connection."""
    pieces: list[bytes] = []
    with suppress(ConnectionError, ssl.SSLError):
        while piece := connection.recv(1 << 20):
            pieces.append(piece)
    return b"".join(pieces)

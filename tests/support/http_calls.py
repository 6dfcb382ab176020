"""Requests of tests to endpoints, over a real socket; they block."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator
from typing import Any, NamedTuple


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

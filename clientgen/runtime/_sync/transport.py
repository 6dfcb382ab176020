"""Requests over the network with urllib3; the twin in `_async` uses aiohttp.

This module is imported when the first request is sent.
"""

from __future__ import annotations

import os
import socket
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.connection import HTTPConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    IncompleteRead,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from ..errors import ConfigError, ConnectionFailed, ConnectionLost, RequestTimeout, ResponseBroken
from ..keepalive import KEEPALIVE
from ..proxy import proxy_for
from ..request import HttpRequest, HttpResponse

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from urllib3 import BaseHTTPResponse, PoolManager

    from ..cluster_config import ClusterConfig
    from ..errors import TransportError

__all__ = ["HttpTransport"]

# Kept open while idle; there is no limit to those in use.
_CONNECTIONS = 25
_CONNECT_TIMEOUT = 30.0
_CHUNK = 1 << 16


class HttpTransport:
    """Keeps connections to one server that were all opened with the same certificate.

    Threads may share it. After a fork the child opens connections of its own.
    """

    def __init__(self, config: ClusterConfig, context: ssl.SSLContext | None) -> None:
        self._server = config.server
        self._encodings = "identity" if config.disable_compression else "gzip"
        self._options = _pool_options(config, context)
        self._proxy = proxy_for(config)
        self._pool = _new_pool(self._proxy, self._options)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._streams: set[_Stream] = set()

    def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Exchange a request for a whole answer."""
        try:
            if timeout is None:
                response = self._start(request, _CONNECT_TIMEOUT, None, preload=True)
                return HttpResponse(response.status, response.headers, response.data)
            return self._send_within(request, monotonic() + timeout, timeout)
        except (HTTPError, OSError, ValueError) as error:
            raise _translated(error, request, self._server, timeout) from error

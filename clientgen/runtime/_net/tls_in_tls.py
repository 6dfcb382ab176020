"""A TLS connection within the TLS connection to a proxy, without waiting.

urllib3 has such connections (`SSLTransport`), but theirs wait in every call. So two threads could
not use one for both directions.
"""

from __future__ import annotations

import ssl
from typing import Any

_MAX_RECORD_BYTES = 1 << 14


class TlsInTls:
    """The inner connection. Only one thread at a time may use it.

    Like a socket that does not block, it raises SSLWantReadError or SSLWantWriteError if the outer
    socket has to be waited for. Then call the same method again.

    Args:
        transport: The connection of urllib3, after its handshake.
    """

    def __init__(self, transport: Any) -> None:
        self._inner: ssl.SSLObject = transport.sslobj
        self._incoming: ssl.MemoryBIO = transport.incoming
        self._outgoing: ssl.MemoryBIO = transport.outgoing
        self._socket: ssl.SSLSocket = transport.socket
        self._unsent = memoryview(b"")
        self._accepted = 0
        """The bytes of the last `send` that are encrypted, but not all sent."""

    def recv(self, size: int) -> bytes:
        """Return the next bytes; empty at the end.

        Raises:
            SSLWantReadError, SSLWantWriteError: Wait for the outer socket.
        """
        while True:
            try:
                return self._inner.read(size)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                self._flush()
            data = self._socket.recv(_MAX_RECORD_BYTES)
            if not data:
                raise ConnectionResetError("the proxy closed the connection")
            self._incoming.write(data)

    def send(self, data: bytes | memoryview) -> int:
        """Send bytes, and return how many were sent.

        Raises:
            SSLWantReadError, SSLWantWriteError: Wait for the outer socket, and send the same again.
        """
        if not self._accepted:
            self._accepted = self._inner.write(memoryview(data)[:_MAX_RECORD_BYTES])
        self._flush()
        sent, self._accepted = self._accepted, 0
        return sent

    def _flush(self) -> None:
        while True:
            while self._unsent:
                self._unsent = self._unsent[self._socket.send(self._unsent) :]
            self._unsent = memoryview(self._outgoing.read())
            if not self._unsent:
                return

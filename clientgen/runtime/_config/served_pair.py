"""A TLS context for servers whose certificate is in memory, and may change at any time."""

from __future__ import annotations

import logging
import ssl
from typing import TYPE_CHECKING, Final, TypeAlias

from .._net.served_certificates import ClientAuthorities, file_versions, new_context
from .tls import as_file

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger("clientgen.runtime.webhooks")

PemPair: TypeAlias = tuple[bytes, bytes]
_HANDSHAKE_ERROR: Final = ssl.ALERT_DESCRIPTION_INTERNAL_ERROR


class ServedPair:
    """A TLS context that serves the pair that a function returns. Open connections are not closed.

    Args:
        current: Called in each handshake. Returns certificate and key as PEM; None if there is no
            certificate yet, which refuses the connection.
        client_ca: The authorities of clients.

    Attributes:
        context: The TLS context for the sockets of the server.
    """

    def __init__(
        self, current: Callable[[], PemPair | None], client_ca: ClientAuthorities | None = None
    ) -> None:
        self._current = current
        self._client_ca = client_ca
        self._loaded: tuple[object, ssl.SSLContext] | None = None
        self.context = new_context(client_ca)
        self.context.sni_callback = self._set_certificate

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # without the key

    def _set_certificate(
        self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext
    ) -> int | None:
        """Set the certificate of a connection. OpenSSL calls this in each handshake."""
        try:
            context = self._loaded_context()
        except (OSError, ValueError) as error:
            if self._loaded is None:
                return _HANDSHAKE_ERROR
            _log.warning("a certificate cannot be used, the old one stays in use: %s", error)
            context = self._loaded[1]
        if context is None:
            return _HANDSHAKE_ERROR
        connection.context = context
        return None

    def _loaded_context(self) -> ssl.SSLContext | None:
        pair = self._current()
        if pair is None:
            return None
        version = (pair, file_versions([self._client_ca.path]) if self._client_ca else ())
        if self._loaded is None or self._loaded[0] != version:
            self._loaded = (version, _load(pair, self._client_ca))
        return self._loaded[1]


def _load(pair: PemPair, client_ca: ClientAuthorities | None) -> ssl.SSLContext:
    context = new_context(client_ca)
    certificate, key = pair
    with as_file(key + certificate) as path:
        context.load_cert_chain(path)
    return context

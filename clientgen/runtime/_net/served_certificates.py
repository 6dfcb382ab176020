"""The certificate of a server, read again when its files have changed.

The files are those of a Secret of the type `kubernetes.io/tls` that is mounted, as cert-manager
writes it: `tls.crt` and `tls.key`. The kubelet exchanges them by renaming a symbolic link, so the
pair may be of two generations for a moment; such a pair is not used. (controller-runtime:
pkg/certwatcher.)

The files are looked at before each handshake. So nothing runs in the background, no connection is
closed, and no handshake gets an older certificate than the files have.
"""

from __future__ import annotations

import logging
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from ..errors import ConfigError

if TYPE_CHECKING:
    import os

__all__ = ["ServedCertificates"]

_log = logging.getLogger("clientgen.runtime.webhooks")

_NAMES: Final = ("tls.crt", "tls.key")
_LARGEST: Final = 1 << 20

_Version: TypeAlias = tuple[tuple[int, int, int, int], ...]


class ServedCertificates:
    """The TLS context of a server, whose certificate is that of the files in a folder.

    Args:
        folder: The folder with `tls.crt`, the certificate and those that lead to its authority, and
            `tls.key`, the key. The key has no password.

    Attributes:
        context: For the sockets of the server.

    Raises:
        ConfigError: The files are missing, or are not a certificate with its key.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._version: _Version
        self._current: ssl.SSLContext
        self._version, self._current = self._first()
        self._refused: _Version | None = None
        self.context = _new_context()
        self.context.sni_callback = self._choose

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._folder}>"

    def _first(self) -> tuple[_Version, ssl.SSLContext]:
        try:
            version = self._stat()
            return version, self._load()
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"{self._folder}: no certificate to serve: {_words(error)}; it needs tls.crt and"
                " tls.key, in PEM, as cert-manager and `kubectl create secret tls` write them"
            ) from None

    def _choose(
        self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext
    ) -> None:
        """Give a connection the current certificate; it is called at each handshake."""
        self._look()
        connection.context = self._current

    def _look(self) -> None:
        """Read the files if they have changed; what cannot be used is logged once."""
        try:
            version = self._stat()
        except OSError as error:
            self._keep(None, error)
            return
        if version == self._version:
            return
        try:
            loaded = self._load()
        except (OSError, ValueError) as error:
            self._keep(version, error)
            return
        self._version, self._current, self._refused = version, loaded, None
        _log.info("%s: the certificate has been exchanged", self._folder)

    def _keep(self, version: _Version | None, error: Exception) -> None:
        refused: _Version = version or ()
        if refused != self._refused:
            self._refused = refused
            words = "%s: the certificate cannot be exchanged, the old one stays: %s"
            _log.warning(words, self._folder, _words(error))

    def _stat(self) -> _Version:
        """Return what changes when the files do."""
        found = [(self._folder / name).stat() for name in _NAMES]
        return tuple((s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in found)

    def _load(self) -> ssl.SSLContext:
        """Read certificate and key.

        Raises:
            OSError: They cannot be read, or do not belong together (an SSLError is one).
            ValueError: A file is not what it should be.
        """
        certificate, key = (self._folder / name for name in _NAMES)
        for path in (certificate, key):
            if path.stat().st_size > _LARGEST:
                raise ValueError(f"{path.name} is larger than a certificate or a key")
        loaded = _new_context()
        loaded.load_cert_chain(certificate, key, password=_no_password)
        return loaded


def _new_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def _no_password() -> str:
    """Refuse a key with a password, for which OpenSSL would ask at the terminal."""
    raise ValueError("tls.key has a password; webhooks need a key without one")


def _words(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or "").replace("_", " ").lower()
        return f"tls.crt and tls.key are not a certificate and its key ({reason or 'not PEM'})"
    if isinstance(error, OSError):
        return f"{Path(str(error.filename or '')).name}: {error.strerror}".lstrip(": ")
    return str(error)

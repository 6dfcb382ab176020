"""The certificate of a server, reloaded when its files change.

The files are `tls.crt` and `tls.key` of a mounted Secret of the type `kubernetes.io/tls`, as
cert-manager writes it. The kubelet replaces both files by renaming a symbolic link. A reader may
get the old certificate with the new key; such a pair is not used. (controller-runtime:
pkg/certwatcher.)

Each handshake checks whether the files have changed, and uses the newest usable certificate. No
background task is needed, and open connections are not closed.
"""

from __future__ import annotations

import logging
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from ..errors import ConfigError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

_log = logging.getLogger("clientgen.runtime.webhooks")

_FILE_NAMES: Final = ("tls.crt", "tls.key")
_MAX_FILE_BYTES: Final = 1 << 20

_Version: TypeAlias = tuple[tuple[int, int, int, int], ...]


class ServedCertificates:
    """A TLS context for servers that always uses the certificate in the files of a folder.

    Args:
        folder: The folder with `tls.crt`, the certificate with its intermediate certificates, and
            `tls.key`, the key without a password.
        client_ca: The authorities of clients.

    Attributes:
        context: The TLS context for the sockets of the server.

    Raises:
        ConfigError: The files are missing, or are not a certificate and its key.
    """

    def __init__(
        self, folder: str | os.PathLike[str], client_ca: ClientAuthorities | None = None
    ) -> None:
        self._folder = Path(folder)
        self._client_ca = client_ca
        self._version: _Version
        self._current: ssl.SSLContext
        self._version, self._current = self._load_first()
        self._refused_version: _Version | None = None
        self.context = new_context(client_ca)
        self.context.sni_callback = self._set_certificate

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._folder}>"

    def _load_first(self) -> tuple[_Version, ssl.SSLContext]:
        try:
            version = self._file_versions()
            return version, self._load_context()
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"{self._folder}: no usable certificate: {_reason_of(error)}; the folder needs"
                " tls.crt and tls.key in PEM, as cert-manager and `kubectl create secret tls` write"
                " them"
            ) from None

    def _set_certificate(
        self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext
    ) -> None:
        """Set the certificate of a connection. OpenSSL calls this in each handshake."""
        self._reload_if_changed()
        # OpenSSL uses the certificate of the context that is set during the handshake.
        connection.context = self._current

    def _reload_if_changed(self) -> None:
        """Reload the files if they have changed. Unusable files are logged once and not used."""
        try:
            version = self._file_versions()
        except OSError as error:
            self._log_unusable(None, error)
            return
        if version == self._version:
            return
        try:
            loaded = self._load_context()
        except (OSError, ValueError) as error:
            self._log_unusable(version, error)
            return
        self._version, self._current, self._refused_version = version, loaded, None
        _log.info("%s: the certificate has been reloaded", self._folder)

    def _log_unusable(self, version: _Version | None, error: Exception) -> None:
        refused: _Version = version or ()
        if refused != self._refused_version:
            self._refused_version = refused
            message = "%s: the certificate cannot be reloaded, the old one stays in use: %s"
            _log.warning(message, self._folder, _reason_of(error))

    def _file_versions(self) -> _Version:
        """Return metadata of the files that changes when the files change."""
        paths = [self._folder / name for name in _FILE_NAMES]
        return file_versions(paths if self._client_ca is None else [*paths, self._client_ca.path])

    def _load_context(self) -> ssl.SSLContext:
        """Load the certificate and the key.

        Raises:
            OSError: A file cannot be read, or (SSLError) the files are not a certificate and its
                key.
            ValueError: A file is too large, or the key has a password.
        """
        certificate, key = (self._folder / name for name in _FILE_NAMES)
        for path in (certificate, key):
            if path.stat().st_size > _MAX_FILE_BYTES:
                raise ValueError(f"{path.name} is too large for a certificate or a key")
        loaded = new_context(self._client_ca)
        loaded.load_cert_chain(certificate, key, password=_no_password)
        return loaded


class ClientAuthorities:
    """The file with the certificate authorities of clients: all others are refused.

    Args:
        path: The file, with certificates in PEM.

    Raises:
        ConfigError: The file is missing, or has no usable certificate.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.require(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        except (OSError, ValueError) as error:
            reason = "not PEM" if isinstance(error, ssl.SSLError) else _reason_of(error)
            raise ConfigError(
                f"{self.path}: no usable authority of clients: {reason}; client_ca is a file with"
                " certificates in PEM"
            ) from None

    def require(self, context: ssl.SSLContext) -> None:
        """Make a context refuse clients without a certificate of these authorities.

        Raises:
            OSError: The file cannot be read, or (SSLError) has a broken certificate.
            ValueError: The file is too large, or has no certificate.
        """
        if self.path.stat().st_size > _MAX_FILE_BYTES:
            raise ValueError(f"{self.path.name} is too large for certificates")
        context.load_verify_locations(cadata=self.path.read_text("ascii", "replace"))
        context.verify_mode = ssl.CERT_REQUIRED


def file_versions(paths: Sequence[Path]) -> _Version:
    """Return metadata of files that changes when the files change.

    Raises:
        OSError: A file is missing.
    """
    stats = [path.stat() for path in paths]
    return tuple((s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in stats)


def new_context(client_ca: ClientAuthorities | None = None) -> ssl.SSLContext:
    """Create the TLS context of a server, without a certificate.

    Raises:
        OSError: The authorities of clients cannot be read.
        ValueError: The authorities of clients are not usable.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if client_ca is not None:
        client_ca.require(context)
    return context


def _no_password() -> str:
    """Refuse a key with a password: OpenSSL would ask for the password at the terminal."""
    raise ValueError("tls.key has a password; store the key without a password")


def _reason_of(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or "").replace("_", " ").lower()
        return f"tls.crt and tls.key are not a certificate and its key ({reason or 'not PEM'})"
    if isinstance(error, OSError):
        return f"{Path(str(error.filename or '')).name}: {error.strerror}".lstrip(": ")
    return str(error)

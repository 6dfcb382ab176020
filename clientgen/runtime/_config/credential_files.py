"""Reads the files of credentials, and keeps their last usable content."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .._redaction import Hidden
from ..errors import ConfigError
from .authorization_header import is_header_safe
from .cluster_config import ClientCertificate
from .file_content import read_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cluster_config import ClusterConfig

_T = TypeVar("_T")


class CredentialFiles:
    """The last usable content of the token, certificate and CA files.

    An instance is true if the configuration names such files. A certificate and key that are both
    configured as data are available without `read`. The configuration must use TLS.
    """

    def __init__(self, config: ClusterConfig) -> None:
        self._auth = config.auth
        self._tls = config.tls
        self._is_complete = True
        self.token = Hidden()
        self.authority: bytes | None = None
        self.certificate: ClientCertificate | None = None
        auth = config.auth
        self._has_authority_file = bool(config.tls.ca_file and not config.tls.ca_data)
        is_data = auth.certificate_data and auth.key_data
        self._has_certificate_file = auth.has_certificate and not is_data
        if is_data:
            self.certificate = self._read_certificate()

    def __bool__(self) -> bool:
        return bool(self._auth.token_file or self._has_authority_file or self._has_certificate_file)

    def read(self) -> bool:
        """Read all files. Returns False if a file was unusable and its old content is kept.

        Raises:
            ConfigError: a file is unusable and has no old content.
        """
        self._is_complete = True
        if self._auth.token_file:
            self.token = Hidden(
                self._read_or_keep(self._read_token, self.token or self._auth.fixed_token)
            )
        if self._has_certificate_file:
            self.certificate = self._read_or_keep(self._read_certificate, self.certificate)
        if self._has_authority_file:
            self.authority = self._read_or_keep(self._read_authority, self.authority)
        return self._is_complete

    def _read_or_keep(self, read: Callable[[], _T], old: _T | None) -> _T:
        try:
            return read()
        except ConfigError as problem:
            if not old:
                raise
            # During a rotation, a file may be missing, or the certificate and the key may not
            # belong together yet.
            _log_unusable_file(problem)
            self._is_complete = False
            return old

    def _read_token(self) -> str:
        path = self._auth.token_file
        token = _read_content(path, self._auth.origin).decode("ascii", "replace").strip()
        if not token:
            raise ConfigError(_with_origin(self._auth.origin, f"the token file {path} is empty"))
        if not is_header_safe(token):
            message = f"the token file {path} contains a character that HTTP headers do not allow"
            raise ConfigError(_with_origin(self._auth.origin, message))
        return token

    def _read_certificate(self) -> ClientCertificate:
        auth = self._auth
        certificate = auth.certificate_data or _read_content(auth.certificate_file, auth.origin)
        key = auth.key_data or _read_content(auth.key_file, auth.origin)
        pair = ClientCertificate(certificate, key, auth.origin)
        if pair != self.certificate:
            from .tls import check_certificate  # imported late: ssl is a large import

            check_certificate(pair)
        return pair

    def _read_authority(self) -> bytes:
        authority = _read_content(self._tls.ca_file, self._tls.origin)
        if authority != self.authority:
            from .tls import check_authority  # imported late: ssl is a large import

            check_authority(authority, self._tls.origin)
        return authority


def _log_unusable_file(problem: ConfigError) -> None:
    import logging  # imported late: rarely needed

    message = "%s; the previous content stays in use"
    logging.getLogger(__name__).warning(message, problem)


def _read_content(path: str, origin: str) -> bytes:
    if not path:
        raise ConfigError(_with_origin(origin, "a client certificate needs a key"))
    try:
        return read_file(path)
    except OSError as error:
        raise ConfigError(_with_origin(origin, f"cannot read {path}: {error.strerror}")) from None


def _with_origin(origin: str, message: str) -> str:
    return f"{origin}: {message}" if origin else message

"""The files that credentials are made of, and what they held when they were last read."""

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

__all__ = ["CredentialFiles"]

_T = TypeVar("_T")


class CredentialFiles:
    """Token, client certificate and CA as their files hold them; true when there are such files.

    A certificate and key that are both given as data need no reading and are here from the start.
    Not for configurations without TLS.
    """

    def __init__(self, config: ClusterConfig) -> None:
        self._auth = config.auth
        self._tls = config.tls
        self._complete = True
        self.token = Hidden()
        self.authority: bytes | None = None
        self.certificate: ClientCertificate | None = None
        auth = config.auth
        self._has_authority = bool(config.tls.ca_file and not config.tls.ca_data)
        by_data = auth.certificate_data and auth.key_data
        self._has_certificate = auth.has_certificate and not by_data
        if by_data:
            self.certificate = self._read_certificate()

    def __bool__(self) -> bool:
        return bool(self._auth.token_file or self._has_authority or self._has_certificate)

    def read(self) -> bool:
        """Read them all; False when one was unusable and what it held before was kept.

        Raises:
            ConfigError: when it held nothing before.
        """
        self._complete = True
        if self._auth.token_file:
            self.token = Hidden(self._or_old(self._read_token, self.token or self._auth.token))
        if self._has_certificate:
            self.certificate = self._or_old(self._read_certificate, self.certificate)
        if self._has_authority:
            self.authority = self._or_old(self._read_authority, self.authority)
        return self._complete

    def _or_old(self, read: Callable[[], _T], old: _T | None) -> _T:
        try:
            return read()
        except ConfigError as problem:
            if not old:
                raise
            # In the middle of a rotation a file may be missing, or a key not yet the certificate's.
            _warn(problem)
            self._complete = False
            return old

    def _read_token(self) -> str:
        path = self._auth.token_file
        token = _content(path, self._auth.origin).decode("ascii", "replace").strip()
        if not token:
            raise ConfigError(_about(self._auth.origin, f"the token file {path} is empty"))
        if not is_header_safe(token):
            what = f"the token file {path} contains a character that HTTP headers do not allow"
            raise ConfigError(_about(self._auth.origin, what))
        return token

    def _read_certificate(self) -> ClientCertificate:
        auth = self._auth
        certificate = auth.certificate_data or _content(auth.certificate_file, auth.origin)
        key = auth.key_data or _content(auth.key_file, auth.origin)
        pair = ClientCertificate(certificate, key, auth.origin)
        if pair != self.certificate:
            from .tls import check_certificate  # late: ssl is a big import

            check_certificate(pair)
        return pair

    def _read_authority(self) -> bytes:
        authority = _content(self._tls.ca_file, self._tls.origin)
        if authority != self.authority:
            from .tls import check_authority  # late: ssl is a big import

            check_authority(authority, self._tls.origin)
        return authority


def _warn(problem: ConfigError) -> None:
    import logging  # late: hardly ever needed

    text = "%s; going on with what was read before"
    logging.getLogger(__name__).warning(text, problem)


def _content(path: str, origin: str) -> bytes:
    if not path:
        raise ConfigError(_about(origin, "a client certificate needs a key"))
    try:
        return read_file(path)
    except OSError as error:
        raise ConfigError(_about(origin, f"cannot read {path}: {error.strerror}")) from None


def _about(origin: str, what: str) -> str:
    return f"{origin}: {what}" if origin else what

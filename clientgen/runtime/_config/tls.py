"""Creates TLS contexts for connections to API servers.

A context does not include the host name. If `TlsConfig.server_name` is set, pass it with each
connection, as `server_hostname` of a request (aiohttp) or of a pool (urllib3). It replaces the host
of the URL in SNI and in verification.
"""

from __future__ import annotations

import os
import ssl
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ..errors import ConfigError
from .file_content import read_file
from .pem import certificates, is_encrypted, private_key

if TYPE_CHECKING:
    from collections.abc import Generator

    from .cluster_config import ClientCertificate, TlsConfig


def ssl_context(
    tls: TlsConfig,
    certificate: ClientCertificate | None = None,
    authority: bytes | None = None,
) -> ssl.SSLContext:
    """Return a context for connections to a cluster.

    As in Go, any certificate in the CA bundle is a trust anchor, and CA certificates need no key
    usage. Many clusters have such CAs, which Python 3.13 refuses by default. ALPN offers HTTP/1.1,
    the protocol of both transports.

    Args:
        tls: the settings. Without a CA, the CAs of the system are trusted.
        certificate: the client certificate.
        authority: the content of the CA file (`Credential.authority`). With None, the file is read.

    Raises:
        ConfigError: the CA, the client certificate or its key cannot be used.
    """
    trusted = _read_authority(tls, authority)
    if tls.insecure and trusted:
        message = "verification is off, but a certificate authority is set; remove one of the two"
        raise ConfigError(_with_origin(tls.origin, message))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.hostname_checks_common_name = False  # as in Go, only subjectAltName counts
    context.set_alpn_protocols(["http/1.1"])
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif trusted:
        _load_authority(context, trusted, tls.origin)
    else:
        context.load_default_certs()
    if certificate is not None:
        _load_client_certificate(context, certificate)
    return context


def check_authority(authority: bytes, origin: str = "") -> None:
    """Check a CA bundle as `ssl_context` does.

    Raises:
        ConfigError: the bundle contains no certificate, or a broken certificate.
    """
    _load_authority(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), authority, origin)


def check_certificate(certificate: ClientCertificate) -> None:
    """Check a client certificate as `ssl_context` does.

    Raises:
        ConfigError: the certificate or the key is broken, or they do not belong together.
    """
    _load_client_certificate(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), certificate)


def _read_authority(tls: TlsConfig, authority: bytes | None) -> bytes:
    if tls.ca_data or not tls.ca_file:
        return tls.ca_data
    if authority is not None:
        return authority
    try:
        return read_file(tls.ca_file)
    except OSError as error:
        message = f"cannot read {tls.ca_file}: {error.strerror}"
        raise ConfigError(_with_origin(tls.origin, message)) from None


def _load_authority(context: ssl.SSLContext, authority: bytes, origin: str) -> None:
    bundle = certificates(authority)
    if not bundle:
        message = "the certificate authority contains no PEM certificate (BEGIN CERTIFICATE)"
        raise ConfigError(_with_origin(origin, message))
    try:
        context.load_verify_locations(cadata=bundle.decode("ascii"))
    except (ssl.SSLError, ValueError):
        message = "the certificate authority contains a broken certificate; copy the PEM file again"
        raise ConfigError(_with_origin(origin, message)) from None


def pair_problem(certificate: bytes, key: bytes) -> str:
    """Return why PEM texts are not a certificate and its private key; empty if they are.

    Short keys are no problem: Go accepts them, too.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    return _load_pair(context, certificate, key, "")


def _load_client_certificate(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    problem = _load_pair(context, certificate.certificate, certificate.key, "client ")
    if problem:
        raise ConfigError(_with_origin(certificate.origin, problem))


def _load_pair(context: ssl.SSLContext, certificate: bytes, key: bytes, role: str) -> str:
    """Load a certificate and its key. Returns what is wrong with them; empty if nothing is."""
    chain, key = certificates(certificate), private_key(key)
    problem = _content_problem(chain, key, role)
    if problem:
        return problem
    try:
        with as_file(key + chain) as path:
            context.load_cert_chain(path, password=_no_passphrase)
    except (ssl.SSLError, ValueError) as error:
        return _pair_problem(error, role)
    return ""


def _content_problem(chain: bytes, key: bytes, role: str) -> str:
    if not chain:
        return f"the {role}certificate contains no PEM certificate (BEGIN CERTIFICATE)"
    if not key:
        return f"the {role}key contains no PEM private key (BEGIN PRIVATE KEY)"
    if is_encrypted(key):
        return f"the {role}key is encrypted; decrypt it with `openssl pkey -in KEY -out PLAIN`"
    return ""


def _pair_problem(error: Exception, role: str) -> str:
    if "KEY_VALUES_MISMATCH" in (getattr(error, "reason", None) or ""):
        return f"the {role}key does not belong to the {role}certificate"
    return f"the {role}certificate or key is broken; copy the PEM files again"


def _no_passphrase() -> NoReturn:
    """Refuse an encrypted key. Without this, OpenSSL would ask for a passphrase at the terminal."""
    raise ValueError("the key is encrypted")


@contextmanager
def as_file(pem: bytes) -> Generator[str, None, None]:
    """Yield the path of a file with `pem`: OpenSSL reads client certificates from files only.

    On Linux the file exists only in memory. On other systems it is a temporary file that only its
    owner can read. The file is deleted at the end of the block.
    """
    descriptor = _create_memory_file(pem)
    if descriptor is None:
        with _temporary_file(pem) as path:
            yield path
        return
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _create_memory_file(pem: bytes) -> int | None:
    """Return the descriptor of a file in memory; None if the system has no such files."""
    if not hasattr(os, "memfd_create"):
        return None
    try:
        descriptor = os.memfd_create("client-certificate", os.MFD_CLOEXEC)
    except OSError:
        return None
    try:
        os.write(descriptor, pem)
        if Path(f"/proc/self/fd/{descriptor}").exists():
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


@contextmanager
def _temporary_file(pem: bytes) -> Generator[str, None, None]:
    import tempfile  # imported late: not needed on Linux

    # mkstemp creates the file with mode 0600, and never opens an existing file.
    descriptor, path = tempfile.mkstemp(prefix="client-certificate-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
        yield path
    finally:
        Path(path).unlink()


def _with_origin(origin: str, message: str) -> str:
    return f"{origin}: {message}" if origin else message

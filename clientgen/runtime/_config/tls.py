"""TLS as API servers need it: whom to trust, and what to show.

A context knows nothing of the host. Where `TlsConfig.server_name` is set, pass it on with each
connection: `server_hostname` is its name both in aiohttp (of a request) and in urllib3 (of a
pool); it sets SNI and is verified instead of the URL's host.
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

__all__ = ["as_file", "check_authority", "check_certificate", "ssl_context"]


def ssl_context(
    tls: TlsConfig,
    certificate: ClientCertificate | None = None,
    authority: bytes | None = None,
) -> ssl.SSLContext:
    """A context for connections to one cluster.

    `authority` is `Credential.authority`, what the CA file holds now; without it the file is read.
    With no authority at all the system's are trusted. Any certificate among the authorities is a
    trust anchor, and those without key usage are taken, as in Go: many clusters have such CAs, and
    Python 3.13 refuses them by default. HTTP/1.1 is what both transports speak.

    Raises:
        ConfigError: when the authority, the certificate or the key cannot be used.
    """
    trusted = _authority(tls, authority)
    if tls.insecure and trusted:
        what = "verification is off and an authority is given; remove one of them"
        raise ConfigError(_about(tls.origin, what))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.hostname_checks_common_name = False
    context.set_alpn_protocols(["http/1.1"])
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif trusted:
        _trust(context, trusted, tls.origin)
    else:
        context.load_default_certs()
    if certificate is not None:
        _show(context, certificate)
    return context


def check_authority(authority: bytes, origin: str = "") -> None:
    """Raise what `ssl_context` would about an authority.

    Raises:
        ConfigError: when it holds no certificates, or broken ones.
    """
    _trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), authority, origin)


def check_certificate(certificate: ClientCertificate) -> None:
    """Raise what `ssl_context` would about a client certificate.

    Raises:
        ConfigError: when certificate or key are broken, or not each other's.
    """
    _show(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), certificate)


def _authority(tls: TlsConfig, authority: bytes | None) -> bytes:
    if tls.ca_data or not tls.ca_file:
        return tls.ca_data
    if authority is not None:
        return authority
    try:
        return read_file(tls.ca_file)
    except OSError as error:
        what = f"cannot read {tls.ca_file}: {error.strerror}"
        raise ConfigError(_about(tls.origin, what)) from None


def _trust(context: ssl.SSLContext, authority: bytes, origin: str) -> None:
    bundle = certificates(authority)
    if not bundle:
        what = "the certificate authority holds no PEM certificate (BEGIN CERTIFICATE)"
        raise ConfigError(_about(origin, what))
    try:
        context.load_verify_locations(cadata=bundle.decode("ascii"))
    except (ssl.SSLError, ValueError):
        what = "the certificate authority holds a broken certificate; copy the PEM file again"
        raise ConfigError(_about(origin, what)) from None


def _show(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    chain, key = certificates(certificate.certificate), private_key(certificate.key)
    problem = _missing(chain, key)
    if problem:
        raise ConfigError(_about(certificate.origin, problem))
    try:
        with as_file(key + chain) as path:
            context.load_cert_chain(path, password=_no_passphrase)
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(_about(certificate.origin, _refusal(error))) from None


def _missing(chain: bytes, key: bytes) -> str:
    if not chain:
        return "the client certificate holds no PEM certificate (BEGIN CERTIFICATE)"
    if not key:
        return "the client key holds no PEM private key (BEGIN PRIVATE KEY)"
    if is_encrypted(key):
        return "the client key is encrypted; decrypt it with `openssl pkey -in KEY -out PLAIN`"
    return ""


def _refusal(error: Exception) -> str:
    if "KEY_VALUES_MISMATCH" in (getattr(error, "reason", None) or ""):
        return "the client key does not belong to the client certificate"
    return "the client certificate or key is broken; copy the PEM files again"


def _no_passphrase() -> NoReturn:
    """Instead of OpenSSL's own question on the terminal."""
    raise ValueError("the key is encrypted")


@contextmanager
def as_file(pem: bytes) -> Generator[str, None, None]:
    """A path to read `pem` from, for OpenSSL takes certificates of a client from files only.

    On Linux the file is in memory and has no name on any disk; elsewhere it is a file that only
    its owner may read, gone when the block ends.
    """
    descriptor = _in_memory(pem)
    if descriptor is None:
        with _on_disk(pem) as path:
            yield path
        return
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _in_memory(pem: bytes) -> int | None:
    """A file in memory that has a path; None where there is no such thing."""
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
def _on_disk(pem: bytes) -> Generator[str, None, None]:
    import tempfile  # late: only where a file in memory cannot be had

    # mkstemp makes the file with mode 0600, and fails rather than use one that is there.
    descriptor, path = tempfile.mkstemp(prefix="client-certificate-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
        yield path
    finally:
        Path(path).unlink()


def _about(origin: str, what: str) -> str:
    return f"{origin}: {what}" if origin else what

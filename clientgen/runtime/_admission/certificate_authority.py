"""Certificate authorities and the certificates that they sign. Needs `clientgen[certificates]`.

Keys are on the curve P-256, which every TLS client knows.
"""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from .self_signed import is_ip_address

try:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
except ImportError as error:
    raise ImportError(
        "certificates of the program's own need cryptography: pip install clientgen[certificates]"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Certificate: TypeAlias = x509.Certificate
PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

# Clocks of other machines may be this much behind.
_BACKDATE: Final = timedelta(minutes=5)
_SKEW: Final = timedelta(hours=1)
_MAX_CERTIFICATES: Final = 16
_MAX_BYTES: Final = 1 << 18
_BEGIN: Final = b"-----BEGIN CERTIFICATE-----"
_END: Final = b"-----END CERTIFICATE-----"


class Pair(Struct, frozen=True, eq=False):
    """A certificate with its private key. Pairs are equal if their certificates are."""

    certificate: Certificate
    key: PrivateKey

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.certificate.subject.rfc4514_string()!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pair) and self.certificate == other.certificate

    def __hash__(self) -> int:
        return hash(self.certificate)

    @property
    def certificate_pem(self) -> bytes:
        """The certificate as PEM."""
        return to_pem([self.certificate])

    @property
    def key_pem(self) -> bytes:
        """The private key as PEM, not encrypted."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def new_authority(now: datetime, lifetime: timedelta) -> Pair:
    """Create an authority, which cannot sign further authorities.

    Each authority has a subject of its own, so that clients never confuse two of them.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = _common_name(f"clientgen CA {x509.random_serial_number():x}"[:32])
    builder = (
        _builder(name, name, key, now, now + lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs=True), critical=True)
    )
    return Pair(builder.sign(key, hashes.SHA256()), key)


def new_certificate(
    authority: Pair, names: Iterable[str], now: datetime, lifetime: timedelta
) -> Pair:
    """Create the certificate of a server. It does not outlive its authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = authority.certificate
    end = min(now + lifetime, signer.not_valid_after_utc)
    builder = (
        _builder(_common_name("webhooks"), signer.subject, key, now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(map(_general_name, names)), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
            critical=False,
        )
    )
    return Pair(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begin: datetime,
    end: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin - _BACKDATE)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general_name(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if is_ip_address(name) else x509.DNSName(name)


def _key_usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


# ---- reading ----------------------------------------------------------------------------------


def to_pem(certificates: Iterable[Certificate]) -> bytes:
    """Return certificates as PEM, one after the other."""
    return b"".join(each.public_bytes(Encoding.PEM) for each in certificates)


def read_certificates(pem: bytes) -> list[Certificate]:
    """Return the certificates of a text. What is no certificate is left out."""
    found: list[Certificate] = []
    for block in pem[:_MAX_BYTES].split(_BEGIN)[1 : _MAX_CERTIFICATES + 1]:
        body, end, _ = block.partition(_END)
        try:
            certificate = x509.load_pem_x509_certificate(_BEGIN + body + end + b"\n")
            certificate.not_valid_after_utc  # noqa: B018 - reads a time that may be malformed
        except (ValueError, TypeError, UnsupportedAlgorithm):
            continue
        if certificate not in found:
            found.append(certificate)
    return found


def read_pair(certificate: bytes, key: bytes) -> Pair | None:
    """Return the first certificate of a text with its key; None if they are not a usable pair."""
    certificates = read_certificates(certificate)
    if not certificates:
        return None
    try:
        loaded = load_pem_private_key(key[:_MAX_BYTES], password=None)
        matches = loaded.public_key() == certificates[0].public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if not matches or not isinstance(loaded, (ec.EllipticCurvePrivateKey, rsa.RSAPrivateKey)):
        return None
    return Pair(certificates[0], loaded)


def is_valid_at(certificate: Certificate, now: datetime) -> bool:
    """Return whether a certificate is valid at a time.

    A certificate of another replica may begin a little later: its clock may be ahead.
    """
    return certificate.not_valid_before_utc - _SKEW <= now < certificate.not_valid_after_utc


def is_authority(certificate: Certificate) -> bool:
    """Return whether a certificate may sign others."""
    try:
        constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    except (ValueError, x509.ExtensionNotFound, x509.DuplicateExtension):
        return False
    return constraints.value.ca


def has_signed(authority: Certificate, certificate: Certificate) -> bool:
    """Return whether an authority has signed a certificate."""
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def names_of(certificate: Certificate) -> list[str]:
    """Return the DNS names and IP addresses of a certificate."""
    kind = x509.SubjectAlternativeName
    try:
        names = certificate.extensions.get_extension_for_class(kind).value
    except (ValueError, x509.ExtensionNotFound, x509.DuplicateExtension):
        return []
    return [
        *names.get_values_for_type(x509.DNSName),
        *map(str, names.get_values_for_type(x509.IPAddress)),
    ]

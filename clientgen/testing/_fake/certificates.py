"""A certificate authority of one server's own, which nothing else on this machine trusts."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field

__all__ = ["Identity", "TlsUnavailable", "new_identity"]

_MISSING = "TLS needs trustme to make a certificate: pip install trustme"


class TlsUnavailable(Exception):  # noqa: N818 - says what is missing
    """No certificate can be made here."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The certificates of a TLS server and of its authority.

    Attributes:
        context: for the server's sockets; holds the key.
        authority: the certificate of the authority, in PEM.
    """

    context: ssl.SSLContext = field(repr=False)
    authority: bytes


def new_identity(*names: str) -> Identity:
    """A fresh authority and a certificate for some host names and addresses.

    Raises:
        TlsUnavailable: trustme is not installed.
    """
    try:
        import trustme  # an extra
    except ModuleNotFoundError:
        raise TlsUnavailable(_MISSING) from None
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    certificate = authority.issue_cert(*names)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    return Identity(context, authority.cert_pem.bytes())

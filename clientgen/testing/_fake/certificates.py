"""Creates a certificate authority for one server. Only the server's kubeconfig trusts it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field

_TRUSTME_MISSING = "TLS needs trustme to make a certificate: pip install trustme"


class TlsUnavailable(Exception):  # noqa: N818 - a public name
    """TLS cannot be served, because trustme is not installed."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The TLS context of a server and the certificate of its authority.

    Attributes:
        context: the context for the server's sockets; contains the private key.
        authority: the certificate of the authority, in PEM.
    """

    context: ssl.SSLContext = field(repr=False)
    authority: bytes


def new_identity(*names: str) -> Identity:
    """Create a certificate authority and a server certificate for host names and addresses.

    Raises:
        TlsUnavailable: trustme is not installed.
    """
    try:
        import trustme  # an optional dependency
    except ModuleNotFoundError:
        raise TlsUnavailable(_TRUSTME_MISSING) from None
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    certificate = authority.issue_cert(*names)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    return Identity(context, authority.cert_pem.bytes())

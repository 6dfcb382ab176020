"""An address for metrics with TLS, whose clients have to say who they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import os


class SecureEndpoint(Struct, frozen=True):
    """Metrics over HTTPS: `AsyncManager(k, metrics=SecureEndpoint(":8443"))`.

    Clients send the token of a ServiceAccount. A TokenReview says whose it is, and a
    SubjectAccessReview whether that account may `get` the path, such as `/metrics`. Tokens are
    remembered for a minute, permissions for 5 minutes, refusals for 30 seconds.

    Without a token, or with a wrong one, the answer is 401; without the permission 403; and 500 if
    the API server does not answer. (This follows controller-runtime: pkg/metrics/filters. A wrong
    token gets 500 there.)
    """

    address: str
    """The address, such as `:8443`."""

    certificates: str | os.PathLike[str] | None = None
    """The folder with `tls.crt` and `tls.key`, which are read again when they change.

    None makes a certificate in memory, which clients cannot verify; it needs the extra
    `clientgen[certificates]`.
    """

    client_ca: str | os.PathLike[str] | None = None
    """A file with authorities in PEM: clients without a certificate of these are refused."""

    authorize: bool = True
    """Whether tokens are needed."""

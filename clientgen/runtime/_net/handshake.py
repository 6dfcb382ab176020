"""A TLS handshake with a server of this program, to see which certificate clients get."""

from __future__ import annotations

import socket
import ssl
from contextlib import closing

_TIMEOUT_SECONDS = 5.0
# X509_V_FLAG_NO_CHECK_TIME: the caller compares the times with its own clock.
_NO_CHECK_TIME = 0x200000


def handshake_problem(address: tuple[str, int], name: str, bundle: str) -> str:
    """Return why a client would not trust a server; empty if it would.

    Args:
        address: Host and port of the server.
        name: The DNS name or IP address by which the client calls the server.
        bundle: The authorities that the client trusts, in PEM.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=bundle)
        context.verify_flags |= _NO_CHECK_TIME
        with closing(socket.create_connection(address, _TIMEOUT_SECONDS)) as sock:
            context.wrap_socket(sock, server_hostname=name).close()
    except ssl.SSLCertVerificationError as error:
        return f"the certificate of {name} is not trusted: {error.verify_message}"
    except (OSError, ValueError) as error:
        return f"no TLS handshake with {address[0]}:{address[1]}: {error}"
    return ""

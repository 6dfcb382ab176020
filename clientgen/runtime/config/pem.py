"""PEM text: which blocks it holds.

Bundles carry comments, attributes and blocks of other kinds; only the blocks that are wanted are
handed on, as Go's `AppendCertsFromPEM` and `X509KeyPair` do.
"""

from __future__ import annotations

import re

__all__ = ["certificates", "is_encrypted", "private_key"]

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(
    rb"-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----.*?-----END \1-----",
    re.DOTALL,
)


def certificates(pem: bytes) -> bytes:
    """The certificates in `pem`, one after the other; empty when there is none."""
    return b"".join(block + b"\n" for block in _CERTIFICATE.findall(pem))


def private_key(pem: bytes) -> bytes:
    """The first private key in `pem`; empty when there is none."""
    found = _KEY.search(pem)
    return found.group() + b"\n" if found else b""


def is_encrypted(key: bytes) -> bool:
    """Whether a private key needs a passphrase."""
    return b"BEGIN ENCRYPTED PRIVATE KEY" in key or b"Proc-Type: 4,ENCRYPTED" in key

"""Certificates and keys of Secrets, as far as their PEM blocks tell (RFC 7468)."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Final

_BLOCK: Final = re.compile(r"-----BEGIN ([^-\n]+)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----")
_CERTIFICATE: Final = "CERTIFICATE"
_KEY: Final = "PRIVATE KEY"
_SEQUENCE: Final = 0x30


def key_pair_problem(certificate: str, key: str) -> str:
    """Return the problem of a certificate and a key, both PEM in base64, or nothing.

    Whether the two belong together is not checked.
    """
    blocks, keys = _blocks(certificate), _blocks(key)
    contents = [content for kind, content in blocks if kind == _CERTIFICATE]
    if not contents:
        return _without_certificate([kind for kind, _ in blocks])
    if not any(kind.endswith(_KEY) for kind, _ in keys):
        return _without_key([kind for kind, _ in keys])
    return "" if contents[0][:1] == bytes([_SEQUENCE]) else "x509: malformed certificate"


def _without_certificate(kinds: list[str]) -> str:
    if not kinds:
        return "tls: failed to find any PEM data in certificate input"
    if len(kinds) == 1 and kinds[0].endswith(_KEY):
        why = "tls: failed to find certificate PEM data in certificate input, but did find"
        return f"{why} a private key; PEM inputs may have been switched"
    why = f'tls: failed to find "{_CERTIFICATE}" PEM block in certificate input after skipping'
    return f"{why} PEM blocks of the following types: [{' '.join(kinds)}]"


def _without_key(kinds: list[str]) -> str:
    if not kinds:
        return "tls: failed to find any PEM data in key input"
    if kinds == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    why = f'tls: failed to find PEM block with type ending in "{_KEY}" in key input after'
    return f"{why} skipping PEM blocks of the following types: [{' '.join(kinds)}]"


def _blocks(encoded: str) -> list[tuple[str, bytes]]:
    """Return the blocks of a PEM text: their types and contents."""
    text = b64decode(encoded).decode("ascii", "replace")
    blocks: list[tuple[str, bytes]] = []
    for kind, content in _BLOCK.findall(text):
        try:
            blocks.append((kind, b64decode(content)))
        except Base64Error:
            continue
    return blocks

"""Whether a secret holds a certificate and its key, as far as their armour tells (RFC 7468)."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Final

__all__ = ["key_pair_problem"]

_BLOCK: Final = re.compile(r"-----BEGIN ([^-\n]+)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----")
_CERTIFICATE: Final = "CERTIFICATE"
_KEY: Final = "PRIVATE KEY"
_SEQUENCE: Final = 0x30


def key_pair_problem(certificate: str, key: str) -> str:
    """What is wrong with a certificate and a key, both PEM in base64; nothing when they look right.

    That the two belong together is not looked at.
    """
    blocks, keys = _blocks(certificate), _blocks(key)
    found = [content for kind, content in blocks if kind == _CERTIFICATE]
    if not found:
        return _without_certificate([kind for kind, _ in blocks])
    if not any(kind.endswith(_KEY) for kind, _ in keys):
        return _without_key([kind for kind, _ in keys])
    return "" if found[0][:1] == bytes([_SEQUENCE]) else "x509: malformed certificate"


def _without_certificate(kinds: list[str]) -> str:
    if not kinds:
        return "tls: failed to find any PEM data in certificate input"
    if len(kinds) == 1 and kinds[0].endswith(_KEY):
        said = "tls: failed to find certificate PEM data in certificate input, but did find"
        return f"{said} a private key; PEM inputs may have been switched"
    said = f'tls: failed to find "{_CERTIFICATE}" PEM block in certificate input after skipping'
    return f"{said} PEM blocks of the following types: [{' '.join(kinds)}]"


def _without_key(kinds: list[str]) -> str:
    if not kinds:
        return "tls: failed to find any PEM data in key input"
    if kinds == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    said = f'tls: failed to find PEM block with type ending in "{_KEY}" in key input after'
    return f"{said} skipping PEM blocks of the following types: [{' '.join(kinds)}]"


def _blocks(encoded: str) -> list[tuple[str, bytes]]:
    """The blocks of a PEM text: their types and contents."""
    text = b64decode(encoded).decode("ascii", "replace")
    found: list[tuple[str, bytes]] = []
    for kind, content in _BLOCK.findall(text):
        try:
            found.append((kind, b64decode(content)))
        except Base64Error:
            continue
    return found

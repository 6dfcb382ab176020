"""Extracts certificates and private keys from PEM text.

Bundles may contain comments, attributes and blocks of other types. These are skipped, as in Go's
`AppendCertsFromPEM` and `X509KeyPair`.
"""

from __future__ import annotations

import re

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
_KEY = re.compile(rb"-----(BEGIN|END) ((?:[A-Z0-9]+ )*PRIVATE KEY)-----")


def certificates(pem: bytes) -> bytes:
    """Return the certificates in `pem`, concatenated; empty if there are none."""
    blocks: list[bytes] = []
    end = 0
    while (start := pem.find(_BEGIN, end)) >= 0 and (last := pem.find(_END, start)) >= 0:
        end = last + len(_END)
        blocks.append(pem[start:end] + b"\n")
    return b"".join(blocks)


def private_key(pem: bytes) -> bytes:
    """Return the first private key in `pem`; empty if there is none."""
    marks = list(_KEY.finditer(pem))
    # The position of the last END line of each type of key.
    ends = {match[2]: match.start() for match in marks if match[1] == b"END"}
    for match in marks:
        if match[1] == b"BEGIN" and ends.get(match[2], -1) >= match.end():
            mark = b"-----END %b-----" % match[2]
            return pem[match.start() : pem.index(mark, match.end()) + len(mark)] + b"\n"
    return b""


def is_encrypted(key: bytes) -> bool:
    """Return whether a private key needs a passphrase."""
    return b"BEGIN ENCRYPTED PRIVATE KEY" in key or b"Proc-Type: 4,ENCRYPTED" in key

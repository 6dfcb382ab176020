"""When a certificate is valid: a reader for the one field of X.509 that metrics need.

RFC 5280, 4.1.2.5. The standard library reads certificates of peers only.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from typing import NamedTuple

from .pem import certificates

_SEQUENCE, _UTC_TIME, _GENERALIZED_TIME, _VERSION = 0x30, 0x17, 0x18, 0xA0
_LONG_LENGTH = 0x80
# A two-digit year from here on is of the 20th century.
_FIRST_OLD_YEAR = 50


class Validity(NamedTuple):
    """The first and the last moment at which a certificate is valid."""

    begins: datetime
    ends: datetime


def validity_of(pem: bytes) -> Validity | None:
    """Return when the first certificate in `pem` is valid; None if it cannot be read."""
    text = certificates(pem).decode("ascii", "replace")
    try:
        der = ssl.PEM_cert_to_DER_cert(text[: text.index("-----END")] + "-----END CERTIFICATE-----")
        return _read(der)
    except (ValueError, IndexError):
        return None


def _read(der: bytes) -> Validity:
    fields = _items(_items(der, 1)[0][1], 1)[0][1]  # Certificate, TBSCertificate
    # The version, which may be missing, the serial number, the algorithm, the issuer, the validity.
    place = 4 if fields[0] == _VERSION else 3
    tag, validity = _items(fields, place + 1)[place]
    if tag != _SEQUENCE:
        raise ValueError
    begins, ends = _items(validity, 2)
    return Validity(_moment(*begins), _moment(*ends))


def _items(data: bytes, count: int) -> list[tuple[int, bytes]]:
    """Return the tags and contents of the first elements.

    Raises:
        IndexError, ValueError: the data is not DER.
    """
    found: list[tuple[int, bytes]] = []
    start = 0
    for _ in range(count):
        tag, size, start = data[start], data[start + 1], start + 2
        if size >= _LONG_LENGTH:
            digits = size - _LONG_LENGTH
            size, start = int.from_bytes(data[start : start + digits]), start + digits
        if start + size > len(data):
            raise ValueError
        found.append((tag, data[start : start + size]))
        start += size
    return found


def _moment(tag: int, content: bytes) -> datetime:
    text = content.decode("ascii")
    if tag == _UTC_TIME:
        text = ("19" if int(text[:2]) >= _FIRST_OLD_YEAR else "20") + text
    elif tag != _GENERALIZED_TIME:
        raise ValueError
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)

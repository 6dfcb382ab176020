"""A certificate that exists in memory only, for servers that clients do not verify."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from .certificate_authority import new_authority, new_certificate
from .self_signed import is_ip_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_LIFETIME: Final = timedelta(days=365)
_NAME: Final = re.compile(r"[a-zA-Z0-9][-a-zA-Z0-9.]{0,252}")


class MemoryCertificate:
    """A certificate that is made when it is first needed, and anew when two thirds of it are over.

    Args:
        names: DNS names and IP addresses. What is neither is left out.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [each for each in names if is_ip_address(each) or _NAME.fullmatch(each)]
        self._made: tuple[datetime, tuple[bytes, bytes]] | None = None

    def current(self, now: datetime) -> tuple[bytes, bytes]:
        """Return the certificate and its key, as PEM."""
        if self._made is None or not self._made[0] <= now < self._made[0] + _LIFETIME * 2 / 3:
            pair = new_certificate(new_authority(now, _LIFETIME), self._names, now, _LIFETIME)
            self._made = now, (pair.certificate_pem, pair.key_pem)
        return self._made[1]

"""PodCertificateRequest: a request for a certificate of a pod."""

from __future__ import annotations

from ..strategy import Strategy


class PodCertificateRequestStrategy(Strategy):
    """The strategy for PodCertificateRequests."""

    allow_unconditional_update = False

"""PodCertificateRequest: a request for a certificate of a pod."""

from __future__ import annotations

from ..strategy import Strategy

__all__ = ["PodCertificateRequestStrategy"]


class PodCertificateRequestStrategy(Strategy):
    """The strategy for PodCertificateRequests."""

    allow_unconditional_update = False

"""ClusterTrustBundle: certificates that clients of a signer trust."""

from __future__ import annotations

from ..strategy import Strategy


class ClusterTrustBundleStrategy(Strategy):
    """The strategy for ClusterTrustBundles."""

    allow_unconditional_update = False

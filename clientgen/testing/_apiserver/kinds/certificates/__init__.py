"""The group certificates.k8s.io."""

from __future__ import annotations

from .certificate_signing_request import CertificateSigningRequestStrategy
from .cluster_trust_bundle import ClusterTrustBundleStrategy
from .pod_certificate_request import PodCertificateRequestStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "CertificateSigningRequest": CertificateSigningRequestStrategy,
    "ClusterTrustBundle": ClusterTrustBundleStrategy,
    "PodCertificateRequest": PodCertificateRequestStrategy,
}

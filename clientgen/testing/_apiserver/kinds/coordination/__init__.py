"""coordination.k8s.io: leases."""

from __future__ import annotations

from .lease import LeaseStrategy
from .lease_candidate import LeaseCandidateStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "Lease": LeaseStrategy,
    "LeaseCandidate": LeaseCandidateStrategy,
}

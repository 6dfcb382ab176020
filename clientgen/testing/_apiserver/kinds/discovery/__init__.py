"""The group discovery.k8s.io."""

from __future__ import annotations

from .endpoint_slice import EndpointSliceStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"EndpointSlice": EndpointSliceStrategy}

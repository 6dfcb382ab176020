"""node.k8s.io: configurations that containers run under."""

from __future__ import annotations

from .runtime_class import RuntimeClassStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"RuntimeClass": RuntimeClassStrategy}

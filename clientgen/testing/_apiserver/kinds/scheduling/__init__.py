"""scheduling.k8s.io: priorities of pods."""

from __future__ import annotations

from .priority_class import PriorityClassStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"PriorityClass": PriorityClassStrategy}

"""Pod: containers that run together on a node."""

from __future__ import annotations

from .pod_strategy import PodStrategy

__all__ = ["PodStrategy"]

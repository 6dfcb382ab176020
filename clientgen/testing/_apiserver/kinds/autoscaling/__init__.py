"""The group autoscaling."""

from __future__ import annotations

from .horizontal_pod_autoscaler import HorizontalPodAutoscalerStrategy
from .scale import ScaleStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "HorizontalPodAutoscaler": HorizontalPodAutoscalerStrategy,
    "Scale": ScaleStrategy,
}

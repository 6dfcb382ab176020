"""policy: limits for voluntary disruptions."""

from __future__ import annotations

from .pod_disruption_budget import PodDisruptionBudgetStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"PodDisruptionBudget": PodDisruptionBudgetStrategy}

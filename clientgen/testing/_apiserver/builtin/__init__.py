"""Rules of built-in kinds that have not moved to `kinds` yet, in registries of decorated functions.

Importing the package fills the registries; `kinds.legacy` makes strategies of them.
"""

from __future__ import annotations

from . import (
    autoscaler_rules,
    batch_rules,
    batch_warnings,
    certificates,
    core_strategies,
    flow_rules,
    other_defaults,
    policy_rules,
    status_rules,
    workload_defaults,
    workload_strategies,
)
from .bootstrap import bootstrap, control_plane_settings

__all__ = ["bootstrap", "control_plane_settings"]

_GATHERED = (
    autoscaler_rules,
    batch_rules,
    batch_warnings,
    certificates,
    core_strategies,
    flow_rules,
    other_defaults,
    policy_rules,
    status_rules,
    workload_defaults,
    workload_strategies,
)
"""The modules whose import registers what they know."""

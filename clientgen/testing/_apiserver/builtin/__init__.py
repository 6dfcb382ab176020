"""Rules of built-in kinds that have not moved to `kinds` yet, in registries of decorated functions.

Importing the package fills the registries; `kinds.legacy` makes strategies of them.
"""

from __future__ import annotations

from . import (
    batch_rules,
    batch_warnings,
    core_strategies,
    status_rules,
    workload_defaults,
    workload_strategies,
)

__all__: list[str] = []

_GATHERED = (
    batch_rules,
    batch_warnings,
    core_strategies,
    status_rules,
    workload_defaults,
    workload_strategies,
)
"""The modules whose import registers what they know."""

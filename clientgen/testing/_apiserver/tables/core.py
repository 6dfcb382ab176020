"""Tables of the small kinds of the core group: data, accounts, namespaces, quotas, components."""

from __future__ import annotations

from typing import Final

from .columns import AGE, NAME, Column, Printer, View

__all__ = ["PRINTERS"]


def _quotas(view: View, *, limits: bool) -> str:
    """`cpu: 1/2, ...`: what is used of what there is, of the limits or of everything else."""
    hard, used = view.members("status", "hard"), view.members("status", "used")
    return ", ".join(
        f"{resource}: {used.get(resource, '0')}/{hard[resource]}"
        for resource in sorted(hard)
        if resource.startswith("limits.") == limits
    )


_RESOURCE_QUOTA: Final = (
    NAME,
    Column("Request", "What is used and allowed.", lambda view: _quotas(view, limits=False)),
    Column("Limit", "Likewise, of limits.", lambda view: _quotas(view, limits=True)),
    AGE,
)


PRINTERS: Final = {
    ("", "ResourceQuota"): Printer(_RESOURCE_QUOTA),
}

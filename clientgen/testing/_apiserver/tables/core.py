"""Tables of the small kinds of the core group: data, accounts, namespaces, quotas, components."""

from __future__ import annotations

from typing import Final

from .columns import AGE, NAME, Column, Printer, View, field, size

__all__ = ["PRINTERS"]

_CONFIG_MAP: Final = (
    NAME,
    Column("Data", "How many entries it has.", size("data", "binaryData"), doc="data"),
    AGE,
)

_SECRET: Final = (
    NAME,
    Column("Type", "What it is for.", field("type"), doc="type"),
    Column("Data", "How many entries it has.", size("data"), doc="data"),
    AGE,
)

_NAMESPACE: Final = (
    NAME,
    Column("Status", "Whether it is in use or going.", field("status.phase")),
    AGE,
)


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


class _Component(View):
    """A ComponentStatus, which is all about one condition."""

    def told(self, member: str) -> str:
        """A member of the condition Healthy."""
        for condition in self.items("conditions"):
            if condition.get("type") == "Healthy":
                return str(condition.get(member) or "")
        return ""

    @property
    def health(self) -> str:
        """Whether it is well."""
        status = self.told("status")
        return ("Healthy" if status == "True" else "Unhealthy") if status else "Unknown"


_COMPONENT_STATUS: Final = (
    NAME,
    Column("Status", "Whether the component is well.", lambda view: view.health),
    Column("Message", "What it says.", lambda view: view.told("message")),
    Column("Error", "What is wrong with it.", lambda view: view.told("error")),
)

_SERVICE_ACCOUNT: Final = (NAME, AGE)

PRINTERS: Final = {
    ("", "ConfigMap"): Printer(_CONFIG_MAP),
    ("", "Secret"): Printer(_SECRET),
    ("", "ServiceAccount"): Printer(_SERVICE_ACCOUNT),
    ("", "Namespace"): Printer(_NAMESPACE),
    ("", "ResourceQuota"): Printer(_RESOURCE_QUOTA),
    ("", "ComponentStatus"): Printer(_COMPONENT_STATUS, view=_Component),
}

"""ComponentStatus: the health of a component of the control plane."""

from __future__ import annotations

from ...tables.columns import NAME, Column, Printer, View
from ..deprecation import Deprecation
from ..strategy import Strategy


class _HealthView(View):
    """A ComponentStatus, read by its condition `Healthy`."""

    def condition(self, member: str) -> str:
        """Return a member of the condition."""
        for condition in self.items("conditions"):
            if condition.get("type") == "Healthy":
                return str(condition.get(member) or "")
        return ""

    @property
    def health(self) -> str:
        """Healthy, Unhealthy or Unknown."""
        status = self.condition("status")
        return ("Healthy" if status == "True" else "Unhealthy") if status else "Unknown"


class ComponentStatusStrategy(Strategy):
    """The strategy for ComponentStatuses."""

    deprecations = {"v1": Deprecation(19, None)}
    printer = Printer(
        (
            NAME,
            Column("Status", "Whether the component is well.", lambda view: view.health),
            Column("Message", "What it says.", lambda view: view.condition("message")),
            Column("Error", "What is wrong with it.", lambda view: view.condition("error")),
        ),
        view=_HealthView,
    )

"""The columns of HorizontalPodAutoscalers."""

from __future__ import annotations

from typing import Any, Final

from clientgen.runtime._printing.human_durations import UNKNOWN

from ...tables.columns import AGE, NAME, NONE, UNSET, Column, Printer, View, dig, field, members

_SOURCES: Final = {
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_ABSENT: Final = "<nil>"
_SHOWN: Final = 2


def _metric(spec: dict[str, Any], status: dict[str, Any]) -> str:
    """Show a metric as `current/target`."""
    source = _SOURCES.get(spec.get("type", ""))
    if source is None:
        return "<unknown type>"
    target = members(spec, source, "target")
    current = dig(status, source, "current")
    if source in ("resource", "containerResource"):
        return f"{dig(spec, source, 'name')}: {_resource(target, current)}"
    if source == "pods":
        return f"{_quantity(current, 'averageValue')}/{target.get('averageValue', _ABSENT)}"
    if target.get("averageValue") is not None:
        average = UNKNOWN if dig(current, "averageValue") is None else current["averageValue"]
        return f"{average}/{target['averageValue']} (avg)"
    return f"{_quantity(current, 'value')}/{target.get('value', _ABSENT)}"


def _resource(target: dict[str, Any], current: dict[str, Any] | None) -> str:
    if target.get("averageValue") is not None:
        return f"{_quantity(current, 'averageValue')}/{target['averageValue']}"
    return f"{_percent(current, UNKNOWN)}/{_percent(target, '<auto>')}"


def _quantity(current: dict[str, Any] | None, member: str) -> str:
    return UNKNOWN if current is None else str(current.get(member, _ABSENT))


def _percent(value: dict[str, Any] | None, missing: str) -> str:
    percentage = dig(value, "averageUtilization")
    return missing if percentage is None else f"{percentage}%"


class _Autoscaler(View):
    """A HorizontalPodAutoscaler of either version."""

    def metrics(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Each metric with its present state.

        Those that version 1 keeps in annotations are not shown.
        """
        specs, statuses = self.items("spec", "metrics"), self.items("status", "currentMetrics")
        statuses = statuses + [{}] * (len(specs) - len(statuses))
        return [*self._cpu(), *zip(specs, statuses, strict=False)]

    def _cpu(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """The share of the CPU, for which version 1 has fields of its own."""
        target = self.at("spec", "targetCPUUtilizationPercentage")
        now = self.at("status", "currentCPUUtilizationPercentage")
        if target is None:
            return []
        wanted = {"name": "cpu", "target": {"averageUtilization": target}}
        current: dict[str, Any] = {} if now is None else {"averageUtilization": now}
        return [({"type": "Resource", "resource": wanted}, {"resource": {"current": current}})]

    @property
    def targets(self) -> str:
        """The first metrics, and how many more there are."""
        shown = [_metric(spec, status) for spec, status in self.metrics()]
        text = ", ".join(shown[:_SHOWN]) or NONE
        return text if len(shown) <= _SHOWN else f"{text} + {len(shown) - _SHOWN} more..."

    @property
    def reference(self) -> str:
        """The object that is scaled."""
        target = ("spec", "scaleTargetRef")
        return f"{self.text(*target, 'kind')}/{self.text(*target, 'name')}"

    @property
    def least(self) -> str:
        """The fewest Pods there may be."""
        least = self.at("spec", "minReplicas")
        return UNSET if least is None else str(least)


_COLUMNS: Final = (
    NAME,
    Column("Reference", "What is scaled.", lambda view: view.reference, doc="spec.scaleTargetRef"),
    Column(
        "Targets",
        "Metrics, as they are and should be.",
        lambda view: view.targets,
        doc="spec.metrics",
    ),
    Column("MinPods", "The fewest Pods.", lambda view: view.least, doc="spec.minReplicas"),
    Column("MaxPods", "The most Pods.", field("spec.maxReplicas", 0), doc="spec.maxReplicas"),
    Column(
        "Replicas",
        "How many Pods there are.",
        field("status.currentReplicas", 0),
        doc="status.currentReplicas",
    ),
    AGE,
)

PRINTER: Final = Printer(_COLUMNS, view=_Autoscaler)

"""Deployment: pods of which new versions are rolled out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer
from ...tables.selector_text import selector_text
from ..defaults import TypeDefaults, set_empty, set_missing
from ..shared.pod_templates import running_template_causes, template_selector_causes
from ..shared.pod_warnings import workload_warnings
from ..shared.replica_counts import (
    collision_causes,
    count_or_percent,
    counts,
    is_zero,
    replica_status_causes,
    spec_counts,
)
from ..shared.workload_columns import READY_COLUMN, TEMPLATE_COLUMNS, count_column
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLUMNS: Final = (
    NAME,
    READY_COLUMN,
    count_column(
        "Up-to-date",
        "How many Pods are of the latest template.",
        "status.updatedReplicas",
        kind="string",
    ),
    count_column(
        "Available",
        "How many Pods have been ready for long enough.",
        "status.availableReplicas",
        kind="string",
    ),
    AGE,
    *TEMPLATE_COLUMNS,
    Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: selector_text(view.at("spec", "selector")),
        priority=1,
        doc="spec.selector",
    ),
)
_STATUS_COUNTS: Final = ("updatedReplicas", "readyReplicas", "availableReplicas")


def _set_defaults(spec: dict[str, Any]) -> None:
    set_missing(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600, strategy={})
    strategy = spec["strategy"]
    set_empty(strategy, type="RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        set_missing(strategy, rollingUpdate={})
        set_missing(strategy["rollingUpdate"], maxUnavailable="25%", maxSurge="25%")


class DeploymentStrategy(Strategy):
    """The strategy for Deployments."""

    types = {"apps.v1.DeploymentSpec": TypeDefaults(fill=_set_defaults)}
    metadata_kept_by_status = ("labels",)
    fields_reset_by_status = (("metadata", "labels"),)
    generation_fields = ("spec",)
    immutable_fields = ("spec.selector",)
    printer = Printer(_COLUMNS)

    def is_new_generation(self, new: dict[str, Any], old: dict[str, Any], subresource: str) -> bool:
        """Compare the annotations as well as the spec."""
        changed = super().is_new_generation(new, old, subresource)
        after, before = (each["metadata"].get("annotations") for each in (new, old))
        return changed or (not subresource and after != before)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers, the selector, the template and the strategy."""
        spec = obj["spec"]
        deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
        yield from spec_counts(spec, "replicas")
        yield from template_selector_causes(spec, "deployment")
        yield from running_template_causes(spec, "spec")
        yield from _strategy_causes(spec["strategy"], "spec.strategy")
        yield from spec_counts(
            spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"
        )
        if deadline is not None and deadline <= ready:
            why = "must be greater than minReadySeconds"
            yield invalid_value("spec.progressDeadlineSeconds", deadline, why)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods."""
        status = part(new, "status")
        others = (
            "observedGeneration",
            "replicas",
            "unavailableReplicas",
            "terminatingReplicas",
            "collisionCount",
        )
        yield from counts(status, (*others, *_STATUS_COUNTS))
        yield from replica_status_causes(status, _STATUS_COUNTS, "readyReplicas")
        yield from collision_causes(status, part(old, "status"))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual names, and of unusual members of the template."""
        yield from workload_warnings(new, old)


def _strategy_causes(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            why = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden_value(f"{field}.rollingUpdate", why)
        return
    if kind != "RollingUpdate":
        yield not_supported(field, strategy, ("Recreate", "RollingUpdate"))
        return
    if rolling is None:
        yield required(f"{field}.rollingUpdate", "this should be defaulted and never be nil")
        return
    at, most, surge = f"{field}.rollingUpdate", rolling["maxUnavailable"], rolling["maxSurge"]
    yield from count_or_percent(f"{at}.maxUnavailable", most)
    yield from count_or_percent(f"{at}.maxSurge", surge, whole=False)
    if is_zero(most) and is_zero(surge):
        why = "may not be 0 when `maxSurge` is 0"
        yield invalid_value(f"{at}.maxUnavailable", most, why)

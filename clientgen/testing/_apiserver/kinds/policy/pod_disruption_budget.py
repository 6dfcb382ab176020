"""PodDisruptionBudget: how many pods of an application may be evicted at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Column, Printer, View, field
from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..shared.common_checks import conditions_causes, one_of, selector_causes
from ..shared.replica_counts import count_or_percent, counts
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def _amount(path: str) -> Callable[[View], str]:
    """Show a number or a percentage."""
    keys = path.split(".")

    def cell(view: View) -> str:
        value = view.at(*keys)
        return "N/A" if value is None else str(value)

    return cell


class PodDisruptionBudgetStrategy(Strategy):
    """The strategy for PodDisruptionBudgets."""

    types = {
        "policy.v1.PodDisruptionBudgetStatus": TypeDefaults(
            zeros={
                "currentHealthy": 0,
                "desiredHealthy": 0,
                "disruptionsAllowed": 0,
                "expectedPods": 0,
            }
        ),
    }
    metadata_checks = MetadataChecks.ANY_FINALIZER
    status_metadata_checks = MetadataChecks.ANY_FINALIZER
    allow_unconditional_update = False
    generation_fields = ("spec",)
    printer = Printer(
        (
            NAME,
            Column("Min Available", "How many Pods must stay.", _amount("spec.minAvailable")),
            Column("Max Unavailable", "How many may be missing.", _amount("spec.maxUnavailable")),
            Column(
                "Allowed Disruptions",
                "How many may be evicted now.",
                field("status.disruptionsAllowed", 0),
                type="integer",
            ),
            AGE,
        )
    )

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the limits and the selector."""
        spec = obj["spec"]
        least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
        if least is not None and most is not None:
            why = "minAvailable and maxUnavailable cannot be both set"
            yield invalid_value("spec", spec, why)
        yield from count_or_percent("spec.minAvailable", least)
        yield from count_or_percent("spec.maxUnavailable", most)
        yield from selector_causes(spec.get("selector"), "spec.selector")
        policy = spec.get("unhealthyPodEvictionPolicy")
        known = ("AlwaysAllow", "IfHealthyBudget")
        yield from one_of("spec.unhealthyPodEvictionPolicy", policy, known, needed=False)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check conditions and counters."""
        status = part(new, "status")
        conditions = parts(status, "conditions")
        yield from conditions_causes(conditions, "status.conditions", transitions=False)
        yield from counts(status, _COUNTS)
        for index, condition in enumerate(conditions):
            if not condition.get("lastTransitionTime"):
                yield required(f"status.conditions[{index}].lastTransitionTime")

"""DaemonSet: a pod on every node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer
from ...tables.selector_text import labels_text
from ..defaults import TypeDefaults, set_empty, set_missing
from ..shared.pod_templates import running_template_causes, template_selector_causes
from ..shared.pod_warnings import template_warnings
from ..shared.replica_counts import collision_causes, count_or_percent, counts, is_zero, spec_counts
from ..shared.workload_columns import TEMPLATE_COLUMNS, count_column, selector_column
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
"""The annotation that counts the templates of a DaemonSet."""
_is_number: Final = re.compile("[0-9]{1,18}").fullmatch
_STATUS_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)
_COLUMNS: Final = (
    NAME,
    count_column("Desired", "How many nodes should run it.", "status.desiredNumberScheduled"),
    count_column("Current", "How many of these do.", "status.currentNumberScheduled"),
    count_column("Ready", "How many of its Pods are ready.", "status.numberReady"),
    count_column(
        "Up-to-date", "How many are of the latest template.", "status.updatedNumberScheduled"
    ),
    count_column("Available", "How many were ready for long enough.", "status.numberAvailable"),
    Column(
        "Node Selector",
        "The labels a node needs.",
        lambda view: labels_text(view.at("spec", "template", "spec", "nodeSelector")),
        doc="spec.template.spec.nodeSelector",
    ),
    AGE,
    *TEMPLATE_COLUMNS,
    selector_column(),
)


def _set_template_generation(daemon_set: dict[str, Any]) -> None:
    """Begin to count the templates, in an annotation that the writer of the object owns."""
    metadata = daemon_set["metadata"]
    metadata["annotations"] = {_TEMPLATE_GENERATION: "0", **part(metadata, "annotations")}


def _set_defaults(spec: dict[str, Any]) -> None:
    set_missing(spec, revisionHistoryLimit=10, updateStrategy={})
    strategy = spec["updateStrategy"]
    set_empty(strategy, type="RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        set_missing(strategy, rollingUpdate={})
        set_missing(strategy["rollingUpdate"], maxUnavailable=1, maxSurge=0)


class DaemonSetStrategy(Strategy):
    """The strategy for DaemonSets."""

    types = {
        "apps.v1.DaemonSet": TypeDefaults(fill=_set_template_generation),
        "apps.v1.DaemonSetSpec": TypeDefaults(fill=_set_defaults),
    }
    generation_fields = ("spec",)
    immutable_fields = ("spec.selector",)
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Count the first template."""
        _note_template(obj, 1)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Count a changed template."""
        before = part(old["metadata"], "annotations").get(_TEMPLATE_GENERATION, "1")
        changed = new["spec"].get("template") != old["spec"].get("template")
        _note_template(new, (int(before) if _is_number(before) else 0) + changed)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the selector, the template and the strategy."""
        spec = obj["spec"]
        yield from template_selector_causes(spec, "daemonset", needed=False)
        yield from running_template_causes(spec, "spec")
        yield from _strategy_causes(spec["updateStrategy"], "spec.updateStrategy")
        yield from spec_counts(spec, "minReadySeconds", "revisionHistoryLimit")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods."""
        status = part(new, "status")
        yield from counts(status, _STATUS_COUNTS)
        yield from collision_causes(status, part(old, "status"))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual members of a new template."""
        template = part(new["spec"], "template")
        if old is None or template != part(old["spec"], "template"):
            yield from template_warnings(template, "spec.template")


def _note_template(daemon_set: dict[str, Any], generation: int) -> None:
    metadata = daemon_set["metadata"]
    annotations = part(metadata, "annotations")
    metadata["annotations"] = {**annotations, _TEMPLATE_GENERATION: str(generation)}


def _strategy_causes(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield not_supported(field, strategy, ("RollingUpdate", "OnDelete"))
    if kind != "RollingUpdate" or rolling is None:
        return
    at, most, surge = f"{field}.rollingUpdate", rolling["maxUnavailable"], rolling["maxSurge"]
    yield from count_or_percent(f"{at}.maxUnavailable", most)
    yield from count_or_percent(f"{at}.maxSurge", surge)
    if is_zero(most) and is_zero(surge):
        yield required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0")
    elif not is_zero(most) and not is_zero(surge):
        why = "may not be set when maxUnavailable is non-zero"
        yield invalid_value(f"{at}.maxSurge", surge, why)

"""ReplicationController: a number of equal pods; ReplicaSets have replaced it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.labels import selects
from clientgen._json import part

from ...tables.columns import Column, Printer
from ...tables.selector_text import labels_text
from ..defaults import TypeDefaults
from ..selector_fields import number
from ..shared.pod_templates import UNMATCHED, running_template_causes
from ..shared.pod_warnings import is_same_generation, name_warnings, template_warnings
from ..shared.replica_counts import replica_set_status_causes, spec_counts
from ..shared.workload_columns import REPLICA_COLUMNS
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLUMNS: Final = (
    *REPLICA_COLUMNS,
    Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: labels_text(view.at("spec", "selector")),
        priority=1,
        doc="spec.selector",
    ),
)


def _copy_labels(controller: dict[str, Any]) -> None:
    """Take selector and labels from the template."""
    spec = controller.setdefault("spec", {})
    labels = (part(part(spec, "template"), "metadata")).get("labels")
    if labels:
        spec["selector"] = spec.get("selector") or dict(labels)
        metadata = controller["metadata"]
        metadata["labels"] = metadata.get("labels") or dict(labels)


class ReplicationControllerStrategy(Strategy):
    """The strategy for ReplicationControllers."""

    types = {"core.v1.ReplicationController": TypeDefaults(fill=_copy_labels)}
    checks_generate_name = False
    generation_fields = ("spec",)
    orphan_by_default = True
    selectable_fields = {"status.replicas": number("status.replicas")}
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers, the selector and the template."""
        spec = obj["spec"]
        selector, template = spec.get("selector"), spec.get("template")
        yield from spec_counts(spec, "minReadySeconds", "replicas")
        if not selector:
            yield required("spec.selector")
        if template is None:
            yield required("spec.template")
            return
        labels = part(part(template, "metadata"), "labels")
        if selector and not selects({"matchLabels": selector}, labels):
            yield invalid_value("spec.template.metadata.labels", labels, UNMATCHED)
        yield from running_template_causes(spec, "spec")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods."""
        yield from replica_set_status_causes(part(new, "status"))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual names, and of unusual members of the template."""
        if old is None:
            yield from name_warnings(new)
        if not is_same_generation(new, old):
            # The server takes the template that was there before.
            controller = new if old is None else old
            yield from template_warnings(part(controller["spec"], "template"), "spec.template")

    def label_selector(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Return the selector, which is a map of labels in this kind."""
        return {"matchLabels": super().label_selector(obj)}

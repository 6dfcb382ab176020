"""ReplicaSet: a number of equal pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import part

from ...tables.columns import Printer
from ..defaults import TypeDefaults, set_missing
from ..shared.pod_templates import running_template_causes, template_selector_causes
from ..shared.pod_warnings import workload_warnings
from ..shared.replica_counts import replica_set_status_causes, spec_counts
from ..shared.workload_columns import REPLICA_COLUMNS, selector_column
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause


class ReplicaSetStrategy(Strategy):
    """The strategy for ReplicaSets."""

    types = {
        "apps.v1.ReplicaSetSpec": TypeDefaults(fill=lambda spec: set_missing(spec, replicas=1))
    }
    generation_fields = ("spec",)
    immutable_fields = ("spec.selector",)
    printer = Printer((*REPLICA_COLUMNS, selector_column()))

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers, the selector and the template."""
        spec = obj["spec"]
        yield from spec_counts(spec, "replicas", "minReadySeconds")
        yield from template_selector_causes(spec, "deployment")
        yield from running_template_causes(spec, "spec")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods."""
        yield from replica_set_status_causes(part(new, "status"))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual names, and of unusual members of the template."""
        yield from workload_warnings(new, old)

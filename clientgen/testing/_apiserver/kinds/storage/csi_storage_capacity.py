"""CSIStorageCapacity: how much storage a driver has somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
)
from clientgen._apimachinery.name_syntax import subdomain_problems
from clientgen._json import part

from ..metadata import MetadataChecks
from ..shared.common_checks import (
    immutable,
    matches,
    selector_causes,
)
from ..shared.node_labels import expression_warnings, label_warning
from ..shared.quantities import amount
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


class CSIStorageCapacityStrategy(Strategy):
    """The strategy for CSIStorageCapacities."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    allow_unconditional_update = False

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check a new object."""
        yield from selector_causes(obj.get("nodeTopology"), "nodeTopology")
        name = obj.get("storageClassName") or ""
        yield from matches("storageClassName", name, subdomain_problems)
        if obj.get("capacity") is not None and amount(obj["capacity"]) < 0:
            why = "must be greater than or equal to 0"
            yield invalid_value("capacity", obj["capacity"], why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the place and the class."""
        for member in ("nodeTopology", "storageClassName"):
            yield from immutable(member, new.get(member), old.get(member))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of labels of nodes that are deprecated."""
        topology = part(new, "nodeTopology")
        yield from expression_warnings(topology, "nodeTopology")
        for label in part(topology, "matchLabels"):
            if why := label_warning(label):
                yield f"nodeTopology.matchLabels.{label}: {why}"

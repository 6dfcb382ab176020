"""RuntimeClass: a configuration that containers run under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, duplicate
from clientgen._apimachinery.labels import labels_causes
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..metadata import MetadataChecks
from ..shared.common_checks import text
from ..shared.container_resources import resource_causes
from ..shared.node_labels import label_warning
from ..shared.pod_scheduling import tolerations_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOLERATION: Final = ("key", "operator", "value", "effect")


class RuntimeClassStrategy(Strategy):
    """The strategy for RuntimeClasses."""

    metadata_checks = (
        MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN | MetadataChecks.ANY_FINALIZER
    )
    allow_create_on_update = True
    allow_unconditional_update = False
    immutable_fields = ("handler",)
    printer = Printer(
        (
            NAME,
            Column(
                "Handler",
                "The configuration containers run under.",
                field("handler"),
                doc="handler",
            ),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the handler, the overhead and the choice of nodes."""
        yield from text("handler", obj.get("handler"), label_problems)
        overhead = part(part(obj, "overhead"), "podFixed")
        yield from resource_causes({"limits": overhead}, "overhead", {})
        scheduling = part(obj, "scheduling")
        yield from labels_causes(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
        tolerations = parts(scheduling, "tolerations")
        yield from tolerations_causes(tolerations, "scheduling.tolerations")
        yield from _repeated(tolerations)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of deprecated labels of nodes."""
        for key in part(part(new, "scheduling"), "nodeSelector"):
            if warning := label_warning(key):
                yield f"scheduling.nodeSelector: {warning}"


def _repeated(tolerations: list[dict[str, Any]]) -> Iterator[Cause]:
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        same = tuple(toleration.get(name) or "" for name in _TOLERATION)
        if same in seen:
            yield duplicate(f"scheduling.tolerations[{index}]", toleration)
        seen.add(same)

"""PriorityClass: how important pods are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import immutable, one_of
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_USER_PRIORITY: Final = 1_000_000_000
_SYSTEM: Final = frozenset({"system-node-critical", "system-cluster-critical"})


def _complete(obj: dict[str, Any]) -> None:
    set_missing(obj, preemptionPolicy="PreemptLowerPriority")


class PriorityClassStrategy(Strategy):
    """The strategy for PriorityClasses."""

    types = {"scheduling.v1.PriorityClass": TypeDefaults(fill=_complete)}
    generation_fields = ()
    printer = Printer(
        (
            NAME,
            Column("Value", "The priority.", field("value", 0), type="integer", doc="value"),
            Column(
                "Global-Default",
                "Whether Pods have it that name no other.",
                field("globalDefault", missing=False),
                type="boolean",
                doc="globalDefault",
            ),
            AGE,
            Column(
                "PreemptionPolicy",
                "Whether its Pods push others aside.",
                field("preemptionPolicy"),
                doc="preemptionPolicy",
            ),
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Reserve names and high priorities for the system."""
        name, value = obj["metadata"].get("name") or "", obj.get("value") or 0
        if name not in _SYSTEM:
            if name.startswith("system-"):
                why = "priority class names with 'system-' prefix are reserved for system use only"
                yield forbidden_value("metadata.name", why)
            if value > _MAX_USER_PRIORITY:
                why = f"maximum allowed value of a user defined priority is {_MAX_USER_PRIORITY}"
                yield forbidden_value("value", why)
        policy = obj.get("preemptionPolicy")
        yield from one_of("preemptionPolicy", policy, ("PreemptLowerPriority", "Never"))

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Refuse another priority or policy."""
        yield from self.validate(new)
        if new.get("value") != old.get("value"):
            yield forbidden_value("value", "may not be changed in an update.")
        after, before = new.get("preemptionPolicy"), old.get("preemptionPolicy")
        yield from immutable("preemptionPolicy", after, before)

"""DeviceTaintRule: a taint for all devices that it chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, too_many
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Column, Printer, field, since
from ..shared.common_checks import conditions_causes, driver_name, matches
from ..shared.device_names import device_taint_causes, pool_name_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_CONDITIONS: Final = 8


def _taint(name: str, about: str, member: str) -> Column:
    path = f"spec.taint.{member}"
    return Column(name, about, field(path), doc=path)


_COLUMNS: Final = (
    NAME,
    _taint("Key", "The taint's key.", "key"),
    _taint("Value", "The taint's value.", "value"),
    _taint("Effect", "What becomes of claims that do not tolerate it.", "effect"),
    Column(
        "TimeAdded",
        "The time since it was put on.",
        since("spec.taint.timeAdded", ""),
        doc="spec.taint.timeAdded",
    ),
    AGE,
)


class DeviceTaintRuleStrategy(Strategy):
    """The strategy for DeviceTaintRules."""

    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    generation_fields = ("spec",)
    delete_returns_object = True
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the chosen devices and the taint."""
        spec = part(obj, "spec")
        chosen, at = part(spec, "deviceSelector"), "spec.deviceSelector"
        if chosen.get("driver") is not None:
            yield from driver_name(f"{at}.driver", chosen["driver"])
        if chosen.get("pool") is not None:
            yield from pool_name_causes(chosen["pool"], f"{at}.pool")
        if chosen.get("device") is not None:
            yield from matches(f"{at}.device", chosen["device"], label_problems)
        yield from device_taint_causes(part(spec, "taint"), "spec.taint")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the conditions."""
        conditions = parts(part(new, "status"), "conditions")
        yield from conditions_causes(conditions, "status.conditions")
        if len(conditions) > _MAX_CONDITIONS:
            yield too_many("status.conditions", len(conditions), _MAX_CONDITIONS)

"""DeviceClass: a kind of device that claims can ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Printer
from ..metadata import MetadataChecks
from ..shared.container_resources import is_extended
from ..strategy import Strategy
from .device_requests import MAX_LIST_ITEMS, config_causes, device_selector_causes, each_causes

if TYPE_CHECKING:
    from collections.abc import Iterator


class DeviceClassStrategy(Strategy):
    """The strategy for DeviceClasses."""

    checks_generate_name = False
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    generation_fields = ("spec",)
    delete_returns_object = True
    printer = Printer((NAME, AGE))

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check selectors, configurations and the name of the extended resource."""
        spec = part(obj, "spec")
        yield from each_causes(
            parts(spec, "selectors"), MAX_LIST_ITEMS, "spec.selectors", device_selector_causes
        )
        yield from each_causes(parts(spec, "config"), MAX_LIST_ITEMS, "spec.config", config_causes)
        name = spec.get("extendedResourceName")
        if name is not None and not is_extended(name):
            why = "must be a valid extended resource name"
            yield invalid_value("spec.extendedResourceName", name, why)

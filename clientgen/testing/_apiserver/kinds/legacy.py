"""The strategy of kinds whose knowledge is still in the registries of `builtin` and `tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..builtin import (
    batch_tables,
    fields,
    kinds,
    names,
    strategies,
    validating,
    warning,
)
from ..tables.columns import PLAIN
from .metadata import MetadataChecks
from .strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clientgen._apimachinery.failures import Cause

    from ..object_reader import ObjectReader
    from ..resources import Resource
    from ..tables.columns import Printer

__all__ = ["LegacyStrategy"]

_PRINTERS: Final[Mapping[tuple[str, str], Printer]] = {
    **batch_tables.PRINTERS,
}
_JOB_WARNING: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to remove them or set propagationPolicy=Orphan to suppress this warning"
)


class LegacyStrategy(Strategy):
    """Reads the old tables, and calls what is registered for the kind."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        key = self._key = (resource.group, resource.plural)
        self.longest_name = names.LONGEST.get(key)
        self.metadata_checks = kinds.METADATA_CHECKS.get(key, MetadataChecks.UPDATE_AGAIN)
        if key in kinds.STATUS_METADATA_ONCE:
            self.status_metadata_checks = MetadataChecks.ANY_FINALIZER
        self.generation_fields = kinds.HAS_GENERATION.get(key)
        self.metadata_kept_by_status = kinds.KEPT_BY_STATUS.get(key, ())
        self.orphan_by_default = key in kinds.ORPHANS_BY_DEFAULT
        self.deletion_warning = _JOB_WARNING if resource.group_resource == "jobs.batch" else ""
        self.printer = _PRINTERS.get((resource.group, resource.kind), PLAIN)

    def name_problems(self, name: str) -> list[str]:
        """Apply the rule of the table."""
        return names.RULES.get(self._key, super().name_problems)(name)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Run `@on_create`."""
        strategies.created(self.resource, obj, reader)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Run `@on_update`."""
        strategies.updated(self.resource, "", new, old, reader)

    def prepare_for_status_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Run `@on_update` of the status."""
        strategies.updated(self.resource, "status", new, old, reader)

    def prepare_for_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Run `@on_update` of the subresource."""
        strategies.updated(self.resource, subresource, new, old, reader)

    def validate(self, obj: dict[str, Any]) -> Iterable[Cause]:
        """Run all `@checks`."""
        return validating.checked(self.resource, obj, is_new=True)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Run those `@checks` that hold again, then `@checks_change`."""
        causes = validating.checked(self.resource, new, is_new=False)
        return [*causes, *validating.compared(self.resource, "", new, old)]

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Run `@checks_change` of the status."""
        return validating.compared(self.resource, "status", new, old)

    def validate_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any]
    ) -> Iterable[Cause]:
        """Run `@checks_change` of the subresource."""
        return validating.compared(self.resource, subresource, new, old)

    def validate_with_others(
        self, new: dict[str, Any], old: dict[str, Any] | None, reader: ObjectReader
    ) -> Iterable[Cause]:
        """Run `@checks_last`."""
        return validating.checked_last(self.resource, new, old, reader)

    def warnings_on_write(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> Iterable[str]:
        """Run `@warns`."""
        return warning.warnings_of(self.resource, new, old, subresource)

    def known_fields(self) -> frozenset[str]:
        """Look in the old table."""
        return fields.known_fields(self.resource)

    def field_values(self, obj: dict[str, Any]) -> dict[str, str]:
        """Look in the old table."""
        return fields.field_values(self.resource, obj)

"""The strategy of custom resources: their CustomResourceDefinition tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..tables.custom import printer_of
from .metadata import MetadataChecks
from .parts import count_generation, restore, restore_all_but_status
from .strategy import Strategy

if TYPE_CHECKING:
    from clientgen._apiextensions import CustomVersion
    from clientgen._apimachinery.failures import Cause

    from ..object_reader import ObjectReader
    from ..resources import Resource

__all__ = ["CustomStrategy"]

_METADATA_CHECKS: Final = MetadataChecks.UPDATE_AGAIN | MetadataChecks.ANY_FINALIZER


class CustomStrategy(Strategy):
    """How the server treats instances of one version of a definition."""

    allow_unconditional_update = False
    metadata_checks = _METADATA_CHECKS
    status_metadata_checks = _METADATA_CHECKS
    fields_reset_by_status = (("metadata",),)

    def __init__(self, resource: Resource, version: CustomVersion) -> None:
        super().__init__(resource)
        self.version = version
        self.printer = printer_of(version.columns)

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in the defaults of the schema."""
        self.version.default(value, keep_nulls=keep_nulls)

    def before_create(self, value: dict[str, Any], reader: ObjectReader) -> None:
        """Set the first generation; drop the status if it is written apart."""
        del reader
        value["metadata"]["generation"] = 1
        if self.resource.has_status:
            value.pop("status", None)

    def before_update(
        self, new: dict[str, Any], old: dict[str, Any], subresource: str, reader: ObjectReader
    ) -> None:
        """Keep the status and the rest apart; the generation counts changes of the rest."""
        del reader
        if subresource == "status":
            restore_all_but_status(new, old)
            return
        if self.resource.has_status:
            restore(new, old, "status")
        count_generation(new, old, with_status=not self.resource.has_status)

    def causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        subresource: str,
        reader: ObjectReader,
    ) -> list[Cause]:
        """Validate against the schema and its rules."""
        del reader
        return self.version.validate(new, old, subresource)

    def warnings(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> list[str]:
        """Warn of finalizers that may belong to somebody else."""
        del subresource
        return self.version.warnings(new, old)

    @property
    def deprecation_warning(self) -> str:
        """The warning that the definition has for this version."""
        return self.version.deprecation_warning

    def known_fields(self) -> frozenset[str]:
        """Return the `selectableFields` of the definition."""
        return frozenset(self.version.selectable_fields)

    def field_values(self, obj: dict[str, Any]) -> dict[str, str]:
        """Return the values of those fields."""
        return self.version.field_values(obj)

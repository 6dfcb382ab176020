"""VolumeAttributesClass: attributes of volumes that can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    required,
)
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..metadata import MetadataChecks
from ..shared.class_parameters import parameter_causes, provisioner_causes
from ..shared.protection_finalizers import protect
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader


class VolumeAttributesClassStrategy(Strategy):
    """The strategy for VolumeAttributesClasses."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    printer = Printer(
        (
            NAME,
            Column("DriverName", "The driver it is for.", field("driverName"), doc="driverName"),
            AGE,
        )
    )

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Protect the class."""
        protect(obj, "kubernetes.io/vac-protection")

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the driver and its parameters."""
        yield from provisioner_causes(obj.get("driverName") or "", "driverName")
        parameters = part(obj, "parameters")
        yield from parameter_causes(parameters)
        if not parameters:
            yield required("parameters", "must contain at least one key/value pair")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the driver and its parameters."""
        yield from self.validate(new)
        for member in ("driverName", "parameters"):
            if new.get(member) != old.get(member):
                yield forbidden_value(member, f"updates to {member} are forbidden.")

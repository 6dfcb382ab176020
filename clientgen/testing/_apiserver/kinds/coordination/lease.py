"""Lease: a lock that its holder renews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._json import part

from ...feature_gates import COORDINATED_LEADER_ELECTION
from ...tables.columns import AGE, NAME, Column, Printer, field
from ..metadata import MetadataChecks
from ..shared.common_checks import is_not_negative
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_COORDINATED: Final = ("preferredHolder", "strategy")
"""Members of coordinated leader election, a feature that is off by default."""


class LeaseStrategy(Strategy):
    """The strategy for Leases."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.ANY_FINALIZER
    allow_create_on_update = True
    allow_unconditional_update = False
    printer = Printer(
        (
            NAME,
            Column(
                "Holder", "Who has it.", field("spec.holderIdentity"), doc="spec.holderIdentity"
            ),
            AGE,
        )
    )

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Drop the members of a disabled feature."""
        if reader.has_gate(COORDINATED_LEADER_ELECTION):
            return
        for name in _COORDINATED:
            obj["spec"].pop(name, None)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Drop the members of a disabled feature, unless they are in use."""
        if reader.has_gate(COORDINATED_LEADER_ELECTION):
            return
        for name in _COORDINATED:
            if name not in part(old, "spec"):
                new["spec"].pop(name, None)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of the spec."""
        spec = obj["spec"]
        seconds = spec.get("leaseDurationSeconds")
        if seconds is not None and seconds <= 0:
            yield invalid_value("spec.leaseDurationSeconds", seconds, "must be greater than 0")
        yield from is_not_negative("spec.leaseTransitions", spec.get("leaseTransitions"))

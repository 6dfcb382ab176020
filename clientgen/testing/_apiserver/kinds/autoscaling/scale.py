"""Scale: the number of pods of a workload, as a subresource."""

from __future__ import annotations

from dataclasses import replace

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..strategy import Strategy


class ScaleStrategy(Strategy):
    """The strategy for Scales."""

    printer = Printer(
        (
            replace(NAME, format=""),
            Column(
                "Desired", "How many there should be.", field("spec.replicas", 0), type="integer"
            ),
            Column("Available", "How many there are.", field("status.replicas", 0), type="integer"),
            AGE,
        )
    )

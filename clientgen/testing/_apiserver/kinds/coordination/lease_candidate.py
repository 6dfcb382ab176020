"""LeaseCandidate: a process that may get a Lease by coordinated leader election."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..metadata import MetadataChecks
from ..shared.common_checks import text
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
)


class LeaseCandidateStrategy(Strategy):
    """The strategy for LeaseCandidates."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.ANY_FINALIZER
    allow_create_on_update = True
    allow_unconditional_update = False
    immutable_fields = ("spec.leaseName",)
    printer = Printer(
        (
            NAME,
            Column(
                "LeaseName", "The lease it runs for.", field("spec.leaseName"), doc="spec.leaseName"
            ),
            Column("BinaryVersion", "Its version.", field("spec.binaryVersion")),
            Column("EmulationVersion", "The version it acts as.", field("spec.emulationVersion")),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the versions and the strategy of the election."""
        spec = part(obj, "spec")
        yield from text("spec.leaseName", spec.get("leaseName"))
        binary, emulated = spec.get("binaryVersion") or "", spec.get("emulationVersion") or ""
        strategy = spec.get("strategy") or ""
        if not binary:
            yield required("spec.binaryVersion")
        elif not _VERSION.fullmatch(binary):
            yield invalid_value("spec.binaryVersion", binary, "must be a valid semantic version")
        if emulated and not _VERSION.fullmatch(emulated):
            why = "must be a valid semantic version"
            yield invalid_value("spec.emulationVersion", emulated, why)
        if emulated and binary and _number(binary) < _number(emulated):
            why = "must be greater than or equal to `emulationVersion`"
            yield invalid_value("spec.binaryVersion", binary, why)
        if strategy == "OldestEmulationVersion" and not _number(emulated):
            why = "must be specified when `strategy` is 'OldestEmulationVersion'"
            yield required("spec.emulationVersion", why)
        yield from _strategy_causes(strategy)


def _strategy_causes(strategy: str) -> Iterator[Cause]:
    """Check the strategy of the election: one of Kubernetes', or one with a domain."""
    if not strategy:
        yield required("spec.strategy")
        return
    domain = strategy.partition("/")[0]
    if "/" not in strategy and strategy != "OldestEmulationVersion":
        yield not_supported("spec.strategy.strategy", strategy, ("OldestEmulationVersion",))
    elif domain in ("k8s.io", "kubernetes.io"):
        yield invalid_value("spec.strategy", strategy, "strategy may not be under k8s.io")


def _number(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    return tuple(map(int, match.group(1, 2, 3))) if match else ()

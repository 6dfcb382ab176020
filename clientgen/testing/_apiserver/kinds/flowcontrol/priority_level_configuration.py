"""PriorityLevelConfiguration: how many requests are served at a time."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._json import part

from ...tables.columns import AGE, NAME, NONE, Column, Printer, field
from ..defaults import TypeDefaults, set_empty
from ..metadata import MetadataChecks
from ..shared.common_checks import one_of
from ..strategy import Strategy
from .condition_types import condition_type_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_QUEUES: Final = 10_000_000
_MAX_BITS: Final = 60
_WHOLE: Final = 100


def _queuing_column(name: str, about: str, member: str) -> Column:
    path = f"spec.limited.limitResponse.queuing.{member}"
    return Column(name, about, field(path, NONE), doc=path)


_COLUMNS: Final = (
    NAME,
    Column("Type", "Whether requests are limited.", field("spec.type"), doc="spec.type"),
    Column(
        "NominalConcurrencyShares",
        "Its share of the requests at a time.",
        field("spec.limited.nominalConcurrencyShares", NONE),
        doc="spec.limited.nominalConcurrencyShares",
    ),
    _queuing_column("Queues", "How many queues there are.", "queues"),
    _queuing_column("HandSize", "How many of them a flow may use.", "handSize"),
    _queuing_column("QueueLengthLimit", "How many requests may wait in each.", "queueLengthLimit"),
    AGE,
)


def _set_queuing(queuing: dict[str, Any]) -> None:
    for member, value in (("queues", 64), ("handSize", 8), ("queueLengthLimit", 50)):
        queuing[member] = queuing.get(member) or value


class PriorityLevelConfigurationStrategy(Strategy):
    """The strategy for PriorityLevelConfigurations."""

    types = {
        "flowcontrol.v1.LimitedPriorityLevelConfiguration": TypeDefaults(
            fill=lambda level: set_empty(level, nominalConcurrencyShares=30, lendablePercent=0)
        ),
        "flowcontrol.v1.ExemptPriorityLevelConfiguration": TypeDefaults(
            fill=lambda level: set_empty(level, nominalConcurrencyShares=0, lendablePercent=0)
        ),
        "flowcontrol.v1.QueuingConfiguration": TypeDefaults(fill=_set_queuing),
    }
    metadata_checks = MetadataChecks.WHOLE_AGAIN
    generation_fields = ("spec",)
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check that the type and the limits fit together."""
        spec, name = part(obj, "spec"), obj["metadata"].get("name") or ""
        kind = spec.get("type") or ""
        if (name == "exempt") != (kind == "Exempt"):
            why = "must be 'Exempt' if and only if `name` is 'exempt'"
            yield invalid_value("spec.type", kind, why)
        limited, exempt = spec.get("limited"), spec.get("exempt")
        if kind == "Exempt":
            if limited is not None:
                why = "must be nil if the type is not Limited"
                yield forbidden_value("spec.limited", why)
            yield from _shares(exempt or {}, "spec.exempt")
        elif kind == "Limited":
            if exempt is not None:
                yield forbidden_value("spec.exempt", "must be nil if the type is Limited")
            if limited is None:
                yield required("spec.limited", "must not be empty when type is Limited")
            else:
                yield from _limited(limited, "spec.limited")
        else:
            yield not_supported("spec.type", kind, ("Exempt", "Limited"))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the conditions."""
        yield from condition_type_causes(new)


def _shares(level: dict[str, Any], path: str) -> Iterator[Cause]:
    shares, lent = level.get("nominalConcurrencyShares"), level.get("lendablePercent")
    if shares is not None and shares < 0:
        why = "must be a non-negative integer"
        yield invalid_value(f"{path}.nominalConcurrencyShares", shares, why)
    if lent is not None and not 0 <= lent <= _WHOLE:
        why = "must be between 0 and 100, inclusive"
        yield invalid_value(f"{path}.lendablePercent", lent, why)


def _limited(level: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from _shares(level, path)
    borrowed = level.get("borrowingLimitPercent")
    if borrowed is not None and borrowed < 0:
        why = "if specified, must be a non-negative integer"
        yield invalid_value(f"{path}.borrowingLimitPercent", borrowed, why)
    response, at = part(level, "limitResponse"), f"{path}.limitResponse"
    queuing, kind = response.get("queuing"), response.get("type") or ""
    if kind == "Reject":
        if queuing is not None:
            why = "must be nil if limited.limitResponse.type is not Limited"
            yield forbidden_value(f"{at}.queuing", why)
    elif kind != "Queue":
        yield from one_of(f"{at}.type", kind, ("Queue", "Reject"))
    elif queuing is None:
        why = "must not be empty if limited.limitResponse.type is Limited"
        yield required(f"{at}.queuing", why)
    else:
        yield from _queuing(queuing, f"{at}.queuing")


def _queuing(queuing: dict[str, Any], path: str) -> Iterator[Cause]:
    queues, hand = queuing.get("queues") or 0, queuing.get("handSize") or 0
    length = queuing.get("queueLengthLimit") or 0
    for member, number in (("queueLengthLimit", length), ("queues", queues), ("handSize", hand)):
        if number <= 0:
            yield invalid_value(f"{path}.{member}", number, "must be positive")
    if queues > _MAX_QUEUES:
        why = f"must not be greater than {_MAX_QUEUES}"
        yield invalid_value(f"{path}.queues", queues, why)
    if hand > 0 and hand > queues:
        why = f"should not be greater than queues ({queues})"
        yield invalid_value(f"{path}.handSize", hand, why)
    elif hand > 0 and _bits(queues, hand) > _MAX_BITS:
        why = f"required entropy bits of deckSize {queues} and handSize {hand}"
        why = f"{why} should not be greater than {_MAX_BITS}"
        yield invalid_value(f"{path}.handSize", hand, why)


def _bits(queues: int, hand: int) -> int:
    """Return how many bits it takes to deal a hand of queues."""
    if hand > _MAX_BITS:
        return hand
    return -int(-sum(log2(queues - number) for number in range(hand)) // 1)

"""ServiceCIDR: a range of addresses for Services."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
)
from clientgen._json import texts

from ...tables.columns import AGE, NAME, Column, Printer
from ..shared.common_checks import immutable
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_FAMILIES: Final = 2

_COLUMNS: Final = (
    NAME,
    Column(
        "CIDRs",
        "The ranges Services get addresses from.",
        lambda view: ",".join(view.items("spec", "cidrs")),
        doc="spec.cidrs",
    ),
    AGE,
)


class ServiceCIDRStrategy(Strategy):
    """The strategy for ServiceCIDRs."""

    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the ranges."""
        cidrs = texts(obj["spec"], "cidrs")
        if not cidrs:
            yield required("spec.cidrs", "at least one CIDR required")
        if len(cidrs) > _FAMILIES:
            yield invalid_value("spec.cidrs", obj["spec"], "may only hold up to 2 values")
        yield from _one_of_each(cidrs)
        for index, network in enumerate(cidrs):
            at = f"spec.cidrs[{index}]"
            problems = cidr_problems(network)
            yield from (invalid_value(at, network, problem) for problem in problems)
            if not problems and str(ip_network(network)) != network:
                why = f'must be in canonical form ("{ip_network(network)}")'
                yield invalid_value(at, network, why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the ranges; one family may get a range of the other."""
        after, before = texts(new["spec"], "cidrs"), texts(old["spec"], "cidrs")
        if len(before) == 1 and len(after) == _FAMILIES:
            yield from immutable("spec.cidrs[0]", after[0], before[0])
            yield from self.validate(new)
        elif len(after) != len(before):
            yield invalid_value("spec.cidrs", new["spec"].get("cidrs"), "field is immutable")
        else:
            for index, (now, was) in enumerate(zip(after, before, strict=True)):
                yield from immutable(f"spec.cidrs[{index}]", now, was)


def _one_of_each(cidrs: list[str]) -> Iterator[Cause]:
    """Refuse two ranges of one family."""
    sound = [ip_network(each, strict=False) for each in cidrs if not cidr_problems(each)]
    if len(cidrs) == _FAMILIES == len(sound) and sound[0].version == sound[1].version:
        why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and"
        yield invalid_value("spec.cidrs", cidrs, f"{why} 2001:db8::/64")

"""LimitRange: how much single pods, containers and claims of a namespace may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part, parts

from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..shared.container_resources import container_name_causes, known_name_causes
from ..shared.quantities import amount
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_SIDES: Final = ("max", "min", "default", "defaultRequest")


def _set_defaults(item: dict[str, Any]) -> None:
    """Derive the default limits and requests of containers from the limits."""
    if item.get("type") != "Container":
        return
    limits = {**part(item, "max"), **part(item, "default")}
    requests = {**part(item, "min"), **limits, **part(item, "defaultRequest")}
    derived = {"default": limits, "defaultRequest": requests}
    item.update({field: amounts for field, amounts in derived.items() if amounts})


class LimitRangeStrategy(Strategy):
    """The strategy for LimitRanges."""

    types = {
        "core.v1.LimitRangeItem": TypeDefaults(fill=_set_defaults),
    }
    metadata_checks = MetadataChecks.WHOLE_AGAIN
    allow_create_on_update = True

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Make a name if there is none."""
        if not obj["metadata"].get("name"):
            obj["metadata"]["name"] = str(uuid4())

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check each limit, and that there is one for each type."""
        seen: set[str] = set()
        for index, item in enumerate(parts(obj["spec"], "limits")):
            at, kind = f"spec.limits[{index}]", item.get("type") or ""
            yield from _type(kind, f"{at}.type")
            if kind in seen:
                yield duplicate(f"{at}.type", kind)
            seen.add(kind)
            yield from _limit(item, kind, at)


def _type(kind: str, field: str) -> Iterator[Cause]:
    problems = qualified_name_problems(kind)
    yield from (invalid_value(field, kind, problem) for problem in problems)
    if not problems and "/" not in kind and kind not in _TYPES:
        yield invalid_value(field, kind, "must be a standard limit type or fully qualified")


def _limit(item: dict[str, Any], kind: str, field: str) -> Iterator[Cause]:
    sides = {side: part(item, side) for side in _SIDES}
    if kind == "Pod":
        for side in ("default", "defaultRequest"):
            if sides.pop(side):
                yield forbidden_value(
                    f"{field}.{side}", "may not be specified when `type` is 'Pod'"
                )
    named = {**sides, "maxLimitRequestRatio": part(item, "maxLimitRequestRatio")}
    rule = container_name_causes if kind in ("Pod", "Container") else known_name_causes
    for side, amounts in named.items():
        for name in amounts:
            yield from rule(name, f"{field}.{side}[{name}]")
    if kind == "PersistentVolumeClaim" and not {"storage"} & {*sides["min"], *sides["max"]}:
        why = "either minimum or maximum storage value is required, but neither was provided"
        yield required(f"{field}.limits", why)
    for name in sorted({name for amounts in named.values() for name in amounts}):
        yield from _ordered(sides, name, field)
        ratio = named["maxLimitRequestRatio"].get(name)
        if ratio is not None:
            at = f"{field}.maxLimitRequestRatio[{name}]"
            yield from _ratio(ratio, sides["min"].get(name), sides["max"].get(name), at)


def _ordered(sides: dict[str, dict[str, Any]], name: str, field: str) -> Iterator[Cause]:
    words = {
        "min": "min",
        "defaultRequest": "default request",
        "default": "default",
        "max": "max",
    }
    for low, high, side in (
        ("min", "max", "min"),
        ("min", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "defaultRequest"),
        ("defaultRequest", "default", "defaultRequest"),
        ("min", "default", "default"),
        ("default", "max", "default"),
    ):
        less, more = sides.get(low, {}).get(name), sides.get(high, {}).get(name)
        if less is not None and more is not None and amount(less) > amount(more):
            why = f"{words[low]} value {less} is greater than {words[high]} value {more}"
            yield invalid_value(f"{field}.{side}[{name}]", less, why)
    default, asked = (sides.get(side, {}).get(name) for side in ("default", "defaultRequest"))
    native = "/" not in name or name.partition("/")[0].endswith("kubernetes.io")
    if (native and not name.startswith("hugepages-")) or None in (default, asked):
        return
    if amount(default) != amount(asked):
        why = f"default value {default} must equal to defaultRequest value {asked} in {name}"
        yield invalid_value(f"{field}.defaultRequest[{name}]", asked, why)


def _ratio(ratio: object, least: object, most: object, field: str) -> Iterator[Cause]:
    if amount(ratio) < 1:
        yield invalid_value(field, ratio, f"ratio {ratio} is less than 1")
    if least is None or most is None:
        return
    highest = amount(most) / amount(least) if amount(least) else None
    if highest is not None and amount(ratio) > highest:
        why = f"ratio {ratio} is greater than max/min = {float(highest):f}"
        yield invalid_value(field, ratio, why)

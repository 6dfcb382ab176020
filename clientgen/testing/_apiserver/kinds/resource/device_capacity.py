"""The capacity of devices: counters that several share, and what requests may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
    too_many,
)
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part

from ..shared.common_checks import matches, text
from ..shared.quantities import amount
from .device_requests import unique_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_COUNTER_SETS: Final = 8
_MAX_COUNTERS: Final = 32
_MAX_CONSUMPTIONS: Final = 2
_MAX_VALUES: Final = 10


def counter_set_causes(sets: list[dict[str, Any]], path: str) -> Iterator[Cause]:
    """Check the counters that devices of other slices use."""
    yield from _sets(sets, "name", _MAX_COUNTER_SETS, path)


def consumption_causes(consumptions: list[dict[str, Any]], path: str) -> Iterator[Cause]:
    """Check what a device uses of shared counters."""
    yield from _sets(consumptions, "counterSet", _MAX_CONSUMPTIONS, path)


def _sets(sets: list[dict[str, Any]], name: str, most: int, path: str) -> Iterator[Cause]:
    if len(sets) > most:
        yield too_many(path, len(sets), most)
        return
    for index, each in enumerate(sets):
        at = f"{path}[{index}]"
        yield from text(f"{at}.{name}", each.get(name), label_problems)
        yield from _counters(part(each, "counters"), f"{at}.counters")
    yield from unique_causes(sets, name, path)


def _counters(counters: dict[str, Any], path: str) -> Iterator[Cause]:
    if not counters:
        yield required(path)
    elif len(counters) > _MAX_COUNTERS:
        yield too_many(path, len(counters), _MAX_COUNTERS)
    else:
        for name in counters:
            yield from matches(path, name, label_problems)


def capacity_causes(capacity: dict[str, Any], path: str, *, shared: bool) -> Iterator[Cause]:
    """Check how requests may share one capacity of a device."""
    policy = capacity.get("requestPolicy")
    if policy is None:
        return
    at = f"{path}.requestPolicy"
    if not shared:
        yield forbidden_value(at, "allowMultipleAllocations must be true")
    elif policy.get("validValues") and policy.get("validRange") is not None:
        why = 'cannot specify "validValues" and "validRange" at the same time'
        yield forbidden_value(at, f"exactly one policy can be specified, {why}")
    else:
        yield from _policy(policy, capacity.get("value") or "0", at)


def _policy(policy: dict[str, Any], most: object, path: str) -> Iterator[Cause]:
    for member, rule in (("validValues", _values), ("validRange", _range)):
        if not policy.get(member) and (member == "validValues" or policy.get(member) is None):
            continue
        if policy.get("default") is None:
            yield required(f"{path}.default", f"required when {member} is defined")
        else:
            yield from rule(policy, most, f"{path}.{member}")


def _values(policy: dict[str, Any], most: object, path: str) -> Iterator[Cause]:
    default, values = policy["default"], policy["validValues"]
    for index in range(1, len(values)):
        if amount(values[index - 1]) > amount(values[index]):
            why = "values must be sorted in ascending order"
            yield invalid_value(f"{path}[{index}]", values[index], why)
    if len(values) > _MAX_VALUES:
        yield too_many(path, len(values), _MAX_VALUES)
    else:
        seen: set[object] = set()
        for index, value in enumerate(values):
            if amount(value) > amount(most):
                why = f"option is larger than capacity value: {most}"
                yield invalid_value(f"{path}[{index}]", value, why)
            if amount(value) in seen:
                yield duplicate(f"{path}[{index}]", str(value))
            seen.add(amount(value))
        if amount(default) in seen:
            return
    why = "default value is not valid according to the requestPolicy"
    yield invalid_value(path, default, why)


def _range(policy: dict[str, Any], most: object, path: str) -> Iterator[Cause]:
    default, bounds = policy["default"], policy["validRange"]
    low, high, step = bounds["min"], bounds.get("max"), bounds.get("step")
    if amount(low) > amount(most):
        yield invalid_value(f"{path}.min", low, f"min is larger than capacity value: {most}")
    if amount(default) < amount(low):
        yield invalid_value(f"{path}.min", default, f"default is less than min: {low}")
    if high is not None:
        if amount(low) > amount(high):
            yield invalid_value(f"{path}.max", low, f"min is larger than max: {high}")
        if amount(high) > amount(most):
            yield invalid_value(f"{path}.max", high, f"max is larger than capacity value: {most}")
        if amount(default) > amount(high):
            yield invalid_value(f"{path}.max", default, f"default is more than max: {high}")
    if step is not None and amount(step) > 0:
        yield from _steps(policy, most, f"{path}.step")


def _steps(policy: dict[str, Any], most: object, path: str) -> Iterator[Cause]:
    bounds = policy["validRange"]
    low, step = amount(bounds["min"]), amount(bounds["step"])
    if low + step > amount(most):
        why = f"one step {low + step} is larger than capacity value: {most}"
        yield invalid_value(path, bounds["step"], why)
    for value in (policy["default"], bounds.get("max")):
        if value is not None and (amount(value) - low) % step:
            why = f"value is not a multiple of a given step ({bounds['step']}) from"
            yield invalid_value(path, value, f"{why} ({bounds['min']})")

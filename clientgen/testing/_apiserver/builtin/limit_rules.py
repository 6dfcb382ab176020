"""What LimitRanges and ResourceQuotas may say, and how they may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.container_resources import (
    container_name_causes,
    known_name_causes,
    quantity_causes,
)
from ..kinds.shared.quantities import amount
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_TYPES: Final = ("Pod", "Container", "PersistentVolumeClaim")
_SIDES: Final = ("max", "min", "default", "defaultRequest")
_PODS: Final = frozenset({"pods"})
_COMPUTE: Final = frozenset(
    f"{side}{name}" for side in ("", "requests.", "limits.") for name in ("cpu", "memory")
)
_STORAGE: Final = frozenset({"persistentvolumeclaims", "requests.storage"})
_SCOPES: Final = {
    "Terminating": _PODS | _COMPUTE,
    "NotTerminating": _PODS | _COMPUTE,
    "BestEffort": _PODS,
    "NotBestEffort": _PODS | _COMPUTE,
    "PriorityClass": _PODS | _COMPUTE,
    "CrossNamespacePodAffinity": _PODS | _COMPUTE,
    "VolumeAttributesClass": _STORAGE,
}
"""Which resources a scope can be applied to."""
_PLAIN: Final = (
    *("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"),
)
_OPPOSITES: Final = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_QUOTA: Final = frozenset(
    {
        *_PODS,
        *_COMPUTE,
        *_STORAGE,
        *(f"{side}ephemeral-storage" for side in ("", "requests.", "limits.")),
        *("services", "services.nodeports", "services.loadbalancers", "resourcequotas"),
        *("secrets", "configmaps", "replicationcontrollers"),
    }
)


# --------------------------------------------------------------------------------- limits


@checks("", "limitranges")
def _limits(limits: dict[str, Any]) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, item in enumerate(parts(limits["spec"], "limits")):
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
        said = "either minimum or maximum storage value is required, but neither was provided"
        yield required(f"{field}.limits", said)
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
    for low, high, told in (
        ("min", "max", "min"),
        ("min", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "defaultRequest"),
        ("defaultRequest", "default", "defaultRequest"),
        ("min", "default", "default"),
        ("default", "max", "default"),
    ):
        less, more = sides.get(low, {}).get(name), sides.get(high, {}).get(name)
        if less is not None and more is not None and amount(less) > amount(more):
            said = f"{words[low]} value {less} is greater than {words[high]} value {more}"
            yield invalid_value(f"{field}.{told}[{name}]", less, said)
    default, asked = (sides.get(side, {}).get(name) for side in ("default", "defaultRequest"))
    native = "/" not in name or name.partition("/")[0].endswith("kubernetes.io")
    if (native and not name.startswith("hugepages-")) or None in (default, asked):
        return
    if amount(default) != amount(asked):
        said = f"default value {default} must equal to defaultRequest value {asked} in {name}"
        yield invalid_value(f"{field}.defaultRequest[{name}]", asked, said)


def _ratio(ratio: object, least: object, most: object, field: str) -> Iterator[Cause]:
    if amount(ratio) < 1:
        yield invalid_value(field, ratio, f"ratio {ratio} is less than 1")
    if least is None or most is None:
        return
    highest = amount(most) / amount(least) if amount(least) else None
    if highest is not None and amount(ratio) > highest:
        said = f"ratio {ratio} is greater than max/min = {float(highest):f}"
        yield invalid_value(field, ratio, said)


# --------------------------------------------------------------------------------- quotas


@checks("", "resourcequotas")
def _quota(quota: dict[str, Any]) -> Iterator[Cause]:
    spec = quota["spec"]
    yield from _amounts(part(spec, "hard"), "spec.hard")
    scopes = texts(spec, "scopes")
    for scope in scopes:
        yield from _scope(scope, spec, scopes, "spec.scopes")
    yield from _opposites(scopes, scopes)
    yield from _selector(spec)


def _amounts(amounts: dict[str, Any], field: str) -> Iterator[Cause]:
    for name, quantity in amounts.items():
        at = f"{field}[{name}]"
        yield from known_name_causes(name, at)
        if "/" not in name and not _is_quota(name):
            yield invalid_value(at, name, "must be a standard resource for quota")
        yield from quantity_causes(name, quantity, at)


def _is_quota(name: str) -> bool:
    return name in _QUOTA or name.startswith(("hugepages-", "requests.hugepages-"))


def _scope(
    scope: str, spec: dict[str, Any], told: object, field: str, named: str = ""
) -> Iterator[Cause]:
    if scope not in _SCOPES:
        shown = scope if named else told
        yield invalid_value(named or field, shown, "unsupported scope")
        return
    for name in sorted(part(spec, "hard")):
        if _is_quota(name) and name not in _SCOPES[scope]:
            yield invalid_value(field, told, "unsupported scope applied to resource")


def _opposites(scopes: list[str], told: object, field: str = "spec.scopes") -> Iterator[Cause]:
    for pair in _OPPOSITES:
        if set(pair) <= set(scopes):
            yield invalid_value(field, told, "conflicting scopes")


def _selector(spec: dict[str, Any]) -> Iterator[Cause]:
    selector, field = part(spec, "scopeSelector"), "spec.scopeSelector.matchExpressions"
    expressions = parts(selector, "matchExpressions")
    for expression in expressions:
        scope, operator = expression.get("scopeName") or "", expression.get("operator") or ""
        yield from _scope(scope, spec, selector, field, f"{field}.scopeName")
        if scope in _PLAIN and operator != "Exists":
            said = (
                "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
            )
            yield invalid_value(f"{field}.operator", operator, said)
        yield from _operator(operator, texts(expression, "values"), field)
    names = [expression.get("scopeName") or "" for expression in expressions]
    yield from _opposites(names, spec.get("scopes"), field)


def _operator(operator: str, values: list[str], field: str) -> Iterator[Cause]:
    if operator in ("In", "NotIn"):
        if not values:
            said = "must be at least one value when `operator` is 'In' or 'NotIn'"
            yield required(f"{field}.values", f"{said} for scope selector")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            said = "must be no value when `operator` is 'Exist' or 'DoesNotExist'"
            yield invalid_value(f"{field}.values", values, f"{said} for scope selector")
    else:
        yield invalid_value(f"{field}.operator", operator, "not a valid selector operator")


@checks_change("", "resourcequotas")
def _quota_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = texts(new["spec"], "scopes"), texts(old["spec"], "scopes")
    if set(after) != set(before):
        yield invalid_value("spec.scopes", new["spec"].get("scopes"), "field is immutable")


@checks_change("", "resourcequotas", part="status")
def _quota_status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    for side in ("hard", "used"):
        yield from _amounts(part(part(new, "status"), side), f"status.{side}")

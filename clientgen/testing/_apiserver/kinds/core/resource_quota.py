"""ResourceQuota: how much the objects of a namespace may use in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, View
from ..shared.container_resources import known_name_causes, quantity_causes
from ..shared.quantities import amount
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def _usage(view: View, *, limits: bool) -> str:
    """Show the used and the allowed amounts, `cpu: 1/2, ...`, of the limits or of the rest."""
    hard, used = view.members("status", "hard"), view.members("status", "used")
    return ", ".join(
        f"{resource}: {used.get(resource, '0')}/{hard[resource]}"
        for resource in sorted(hard)
        if resource.startswith("limits.") == limits
    )


class ResourceQuotaStrategy(Strategy):
    """The strategy for ResourceQuotas."""

    delete_returns_object = True
    printer = Printer(
        (
            NAME,
            Column("Request", "What is used and allowed.", lambda view: _usage(view, limits=False)),
            Column("Limit", "Likewise, of limits.", lambda view: _usage(view, limits=True)),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the amounts and the scopes."""
        spec = obj["spec"]
        yield from _amounts(part(spec, "hard"), "spec.hard")
        scopes = texts(spec, "scopes")
        for scope in scopes:
            yield from _scope(scope, spec, scopes, "spec.scopes")
        yield from _opposites(scopes, scopes)
        yield from _selector(spec)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the scopes."""
        yield from self.validate(new)
        after, before = texts(new["spec"], "scopes"), texts(old["spec"], "scopes")
        if set(after) != set(before):
            yield invalid_value("spec.scopes", new["spec"].get("scopes"), "field is immutable")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the amounts."""
        status = part(new, "status")
        for side in ("hard", "used"):
            yield from _amounts(part(status, side), f"status.{side}")
        for side in ("hard", "used"):
            for name, quantity in part(status, side).items():
                if amount(quantity) < 0:
                    at = f"status.{side}[{name}]"
                    yield invalid_value(at, quantity, "must be greater than or equal to 0")

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of requests that are larger than the limits."""
        hard = part(new["spec"], "hard")
        for name in ("cpu", "memory", "storage", "ephemeral-storage") if old is None else ():
            low, high = f"requests.{name}", f"limits.{name}"
            if low not in hard and name in ("cpu", "memory"):
                low = name
            if low in hard and high in hard and amount(hard[low]) > amount(hard[high]):
                shown = f"{low} ({hard[low]}) should be less than {high} ({hard[high]})"
                yield f"ResourceQuota {shown}"


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
    scope: str, spec: dict[str, Any], shown: object, field: str, named: str = ""
) -> Iterator[Cause]:
    if scope not in _SCOPES:
        value = scope if named else shown
        yield invalid_value(named or field, value, "unsupported scope")
        return
    for name in sorted(part(spec, "hard")):
        if _is_quota(name) and name not in _SCOPES[scope]:
            yield invalid_value(field, shown, "unsupported scope applied to resource")


def _opposites(scopes: list[str], shown: object, field: str = "spec.scopes") -> Iterator[Cause]:
    for pair in _OPPOSITES:
        if set(pair) <= set(scopes):
            yield invalid_value(field, shown, "conflicting scopes")


def _selector(spec: dict[str, Any]) -> Iterator[Cause]:
    selector, field = part(spec, "scopeSelector"), "spec.scopeSelector.matchExpressions"
    expressions = parts(selector, "matchExpressions")
    for expression in expressions:
        scope, operator = expression.get("scopeName") or "", expression.get("operator") or ""
        yield from _scope(scope, spec, selector, field, f"{field}.scopeName")
        if scope in _PLAIN and operator != "Exists":
            why = (
                "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
            )
            yield invalid_value(f"{field}.operator", operator, why)
        yield from _operator(operator, texts(expression, "values"), field)
    names = [expression.get("scopeName") or "" for expression in expressions]
    yield from _opposites(names, spec.get("scopes"), field)


def _operator(operator: str, values: list[str], field: str) -> Iterator[Cause]:
    if operator in ("In", "NotIn"):
        if not values:
            why = "must be at least one value when `operator` is 'In' or 'NotIn'"
            yield required(f"{field}.values", f"{why} for scope selector")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            why = "must be no value when `operator` is 'Exist' or 'DoesNotExist'"
            yield invalid_value(f"{field}.values", values, f"{why} for scope selector")
    else:
        yield invalid_value(f"{field}.operator", operator, "not a valid selector operator")

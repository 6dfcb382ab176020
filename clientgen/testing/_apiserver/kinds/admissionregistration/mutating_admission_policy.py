"""MutatingAdmissionPolicy: expressions that change requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apiextensions import PolicyExpressions
from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._json import part, parts

from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import one_of
from .admission_strategy import AdmissionStrategy
from .match_resources import MATCH_TYPES
from .operations import operation_causes
from .policy_rules import policy_causes, policy_printer

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATCHES: Final = ("ApplyConfiguration", "JSONPatch")
_TYPES: Final = {"ApplyConfiguration": "Object", "JSONPatch": "list(JSONPatch)"}


class MutatingAdmissionPolicyStrategy(AdmissionStrategy):
    """The strategy for MutatingAdmissionPolicies."""

    types = {
        **MATCH_TYPES,
        **{
            f"admissionregistration.{version}.MutatingAdmissionPolicySpec": TypeDefaults(
                fill=lambda spec: set_missing(spec, failurePolicy="Fail")
            )
            for version in ("v1", "v1beta1", "v1alpha1")
        },
    }
    printer = policy_printer("Mutations", "How many changes it makes.", "spec.mutations")

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the mutations."""
        spec = part(obj, "spec")
        expressions = PolicyExpressions(
            params=spec.get("paramKind") is not None, composed=bool(spec.get("variables"))
        )
        yield from policy_causes(spec, expressions)
        yield from operation_causes(part(spec, "matchConstraints"), "spec.matchConstraints")
        mutations = parts(spec, "mutations")
        if not mutations:
            yield required("spec.mutations", "mutations must contain at least one item")
        for index, mutation in enumerate(mutations):
            yield from _mutation(mutation, f"spec.mutations[{index}]", expressions)
        again = spec.get("reinvocationPolicy") or ""
        if not again:
            yield required("spec.reinvocationPolicy")
        else:
            yield from one_of("spec.reinvocationPolicy", again, ("IfNeeded", "Never"))


def _mutation(
    mutation: dict[str, Any], path: str, expressions: PolicyExpressions
) -> Iterator[Cause]:
    kind = mutation.get("patchType") or ""
    if not kind:
        yield required(f"{path}.patchType")
    elif kind not in _PATCHES:
        yield not_supported(f"{path}.patchType", kind, _PATCHES)
    else:
        members = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}
        own = members.pop(kind)
        (other,) = members.values()
        if mutation.get(own) is None:
            yield required(f"{path}.{own}", f"must be specified when patchType is {kind}")
        else:
            yield from _expression(mutation[own], f"{path}.{own}", _TYPES[kind], expressions)
        if mutation.get(other) is not None:
            why = f"must not be specified when patchType is {kind}"
            yield invalid_value(f"{path}.{other}", f"{{{other}}}", why)


def _expression(
    change: dict[str, Any], path: str, wanted: str, expressions: PolicyExpressions
) -> Iterator[Cause]:
    text = (change.get("expression") or "").strip()
    if not text:
        yield required(f"{path}.expression")
    elif problem := expressions.problem(text, wanted, patches=True):
        yield invalid_value(f"{path}.expression", text, problem)

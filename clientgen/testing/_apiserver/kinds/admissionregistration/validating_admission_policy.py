"""ValidatingAdmissionPolicy: expressions that requests have to satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apiextensions import PolicyExpressions
from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part, parts

from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import conditions_causes, matches, one_of
from .admission_strategy import AdmissionStrategy
from .match_resources import MATCH_TYPES
from .policy_rules import policy_causes, policy_printer

if TYPE_CHECKING:
    from collections.abc import Iterator

_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_MAX_ANNOTATIONS: Final = 20
_MAX_VALUE_EXPRESSION_BYTES: Final = 5 * 1024
_NEEDS_ONE: Final = "validations or auditAnnotations must contain at least one item"


class ValidatingAdmissionPolicyStrategy(AdmissionStrategy):
    """The strategy for ValidatingAdmissionPolicies."""

    types = {
        **MATCH_TYPES,
        "admissionregistration.v1.ValidatingAdmissionPolicySpec": TypeDefaults(
            fill=lambda spec: set_missing(spec, failurePolicy="Fail")
        ),
    }
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    printer = policy_printer("Validations", "How many rules it has.", "spec.validations")

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the validations and the audit annotations."""
        spec = part(obj, "spec")
        expressions = PolicyExpressions(
            params=spec.get("paramKind") is not None, composed=bool(spec.get("variables"))
        )
        yield from policy_causes(spec, expressions)
        validations, annotations = parts(spec, "validations"), parts(spec, "auditAnnotations")
        if not validations and not annotations:
            yield required("spec.validations", _NEEDS_ONE)
            yield required("spec.auditAnnotations", _NEEDS_ONE)
        for index, validation in enumerate(validations):
            at = f"spec.validations[{index}]"
            yield from _validation(validation, at, expressions)
        if len(annotations) > _MAX_ANNOTATIONS:
            why = f"must not have more than {_MAX_ANNOTATIONS} auditAnnotations"
            yield invalid_value("spec.auditAnnotations", annotations, why)
        keys: set[str] = set()
        for index, annotation in enumerate(annotations):
            at, key = f"spec.auditAnnotations[{index}]", annotation.get("key") or ""
            yield from _annotation(
                annotation, key, obj["metadata"].get("name") or "", at, expressions
            )
            if key in keys:
                yield duplicate(f"{at}.key", key)
            keys.add(key)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check conditions and warnings."""
        conditions = parts(part(new, "status"), "conditions")
        yield from conditions_causes(conditions, "status.conditions")
        warnings = parts(part(part(new, "status"), "typeChecking"), "expressionWarnings")
        for index, warning in enumerate(warnings):
            at = f"status.typeChecking.expressionWarnings[{index}]"
            if not warning.get("warning"):
                yield required(f"{at}.warning")
            if not (warning.get("fieldRef") or "").strip():
                yield required(f"{at}.fieldRef")


def _validation(
    validation: dict[str, Any], path: str, expressions: PolicyExpressions
) -> Iterator[Cause]:
    expression, message = validation.get("expression") or "", validation.get("message") or ""
    if not expression.strip():
        yield required(f"{path}.expression", "expression is not specified")
    elif problem := expressions.problem(expression, "bool"):
        yield invalid_value(f"{path}.expression", expression, problem)
    expressed, at = validation.get("messageExpression") or "", f"{path}.messageExpression"
    if expressed and not expressed.strip():
        yield invalid_value(at, expressed, "must be non-empty if specified")
    elif expressed and (problem := expressions.problem(expressed, "string", authorizer=False)):
        yield invalid_value(at, expressed, problem)
    if message and not message.strip():
        yield invalid_value(f"{path}.message", message, "must be non-empty if specified")
    elif "\n" in message.strip() or "\r" in message.strip():
        yield invalid_value(f"{path}.message", message, "must not contain line breaks")
    reason = validation.get("reason")
    yield from one_of(f"{path}.reason", reason, _REASONS, needed=False)


def _annotation(
    annotation: dict[str, Any],
    key: str,
    policy: str,
    path: str,
    expressions: PolicyExpressions,
) -> Iterator[Cause]:
    if not policy:
        yield invalid_value(f"{path}.key", key, "requires metadata.name be non-empty")
    else:
        yield from matches(f"{path}.key", f"{policy}/{key}", qualified_name_problems)
    expression = (annotation.get("valueExpression") or "").strip()
    if not expression:
        yield required(f"{path}.valueExpression", "valueExpression is not specified")
    elif len(expression.encode()) > _MAX_VALUE_EXPRESSION_BYTES:
        why = f"must not exceed {_MAX_VALUE_EXPRESSION_BYTES} bytes in length"
        yield required(f"{path}.valueExpression", why)
    elif problem := expressions.problem(expression, "string", "null_type"):
        yield invalid_value(f"{path}.valueExpression", expression, problem)

"""Validates admission policies and their bindings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    qualified_name_problems,
    service_label_problems,
    subdomain_problems,
)
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import conditions_causes, matches, one_of, selector_causes, text
from .admission_expressions import expression_causes
from .admission_matching import condition_causes, match_resources_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_GROUP: Final = "admissionregistration.k8s.io"
_FAILURES: Final = ("Fail", "Ignore")
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized")
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_MUTATING: Final = ("*", "CREATE", "UPDATE")
_PATCHES: Final = ("ApplyConfiguration", "JSONPatch")
_MOST_ANNOTATIONS: Final = 20
_NEEDS_ONE: Final = "validations or auditAnnotations must contain at least one item"
_IDENTIFIER: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*")
_RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return", "var"),
        *("void", "while"),
    }
)


def _common(spec: dict[str, Any]) -> Iterator[Cause]:
    """What policies of both kinds have."""
    policy = spec.get("failurePolicy")
    if policy is None:
        yield required("spec.failurePolicy")
    yield from one_of("spec.failurePolicy", policy, _FAILURES, needed=False)
    if spec.get("paramKind") is not None:
        yield from _param_kind(spec["paramKind"], "spec.paramKind")
    match = spec.get("matchConstraints")
    if match is None:
        yield required("spec.matchConstraints")
    else:
        yield from match_resources_causes(match, "spec.matchConstraints")
        if not match.get("resourceRules"):
            yield required("spec.matchConstraints.resourceRules")
    params = spec.get("paramKind") is not None
    conditions = parts(spec, "matchConditions")
    yield from condition_causes(conditions, "spec.matchConditions", params=params)
    for index, variable in enumerate(parts(spec, "variables")):
        yield from _variable(variable, f"spec.variables[{index}]", params=params)


def _param_kind(kind: dict[str, Any], field: str) -> Iterator[Cause]:
    version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    at = f"{field}.apiVersion"
    if not version:
        yield required(at)
    elif version.count("/") > 1:
        yield invalid_value(at, version, f"unexpected GroupVersion string: {version}")
    else:
        group, _, number = version.rpartition("/")
        problems = subdomain_problems(group) if group else []
        if problems:
            yield invalid_value(at, group, ",".join(problems))
        problems = service_label_problems(number) if number else ["version must be specified"]
        if problems:
            yield invalid_value(at, number or version, ",".join(problems))
    problems = service_label_problems(name.lower())
    if not name:
        yield required(f"{field}.kind")
    elif problems:
        said = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid_value(f"{field}.kind", name, said)


def _variable(variable: dict[str, Any], field: str, *, params: bool) -> Iterator[Cause]:
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    if not name.strip():
        yield required(f"{field}.name", "name is not specified")
    elif not _IDENTIFIER.fullmatch(name) or name in _RESERVED:
        yield invalid_value(f"{field}.name", name, "must be a valid CEL identifier")
    if not expression.strip():
        yield required(f"{field}.expression", "expression is not specified")
    else:
        at = f"{field}.expression"
        yield from expression_causes(at, expression, params=params, variables=True)


# ----------------------------------------------------------------------------- validating


@checks(_GROUP, "validatingadmissionpolicies")
def _validating(policy: dict[str, Any]) -> Iterator[Cause]:
    spec = part(policy, "spec")
    yield from _common(spec)
    validations, annotations = parts(spec, "validations"), parts(spec, "auditAnnotations")
    if not validations and not annotations:
        yield required("spec.validations", _NEEDS_ONE)
        yield required("spec.auditAnnotations", _NEEDS_ONE)
    params, variables = spec.get("paramKind") is not None, bool(spec.get("variables"))
    for index, validation in enumerate(validations):
        at = f"spec.validations[{index}]"
        yield from _validation(validation, at, params=params, variables=variables)
    if len(annotations) > _MOST_ANNOTATIONS:
        said = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        yield invalid_value("spec.auditAnnotations", annotations, said)
    keys: set[str] = set()
    for index, annotation in enumerate(annotations):
        at, key = f"spec.auditAnnotations[{index}]", annotation.get("key") or ""
        yield from _annotation(annotation, key, policy["metadata"].get("name") or "", at, params)
        if key in keys:
            yield duplicate(f"{at}.key", key)
        keys.add(key)


def _validation(
    validation: dict[str, Any], field: str, *, params: bool, variables: bool
) -> Iterator[Cause]:
    expression, told = validation.get("expression") or "", validation.get("message") or ""
    if not expression.strip():
        yield required(f"{field}.expression", "expression is not specified")
    else:
        at = f"{field}.expression"
        yield from expression_causes(at, expression, "BOOL", params=params, variables=variables)
    expressed, at = validation.get("messageExpression") or "", f"{field}.messageExpression"
    if expressed and not expressed.strip():
        yield invalid_value(at, expressed, "must be non-empty if specified")
    elif expressed:
        yield from expression_causes(at, expressed, "STRING", params=params, variables=variables)
    if told and not told.strip():
        yield invalid_value(f"{field}.message", told, "must be non-empty if specified")
    elif "\n" in told.strip() or "\r" in told.strip():
        yield invalid_value(f"{field}.message", told, "must not contain line breaks")
    reason = validation.get("reason")
    yield from one_of(f"{field}.reason", reason, _REASONS, needed=False)


def _annotation(
    annotation: dict[str, Any], key: str, policy: str, field: str, params: bool
) -> Iterator[Cause]:
    if not policy:
        yield invalid_value(f"{field}.key", key, "requires metadata.name be non-empty")
    else:
        yield from matches(f"{field}.key", f"{policy}/{key}", qualified_name_problems)
    expression = (annotation.get("valueExpression") or "").strip()
    if not expression:
        yield required(f"{field}.valueExpression", "valueExpression is not specified")
    else:
        at = f"{field}.valueExpression"
        wanted = ("STRING", "NULL")
        yield from expression_causes(at, expression, *wanted, params=params, variables=True)


@checks_change(_GROUP, "validatingadmissionpolicies", part="status")
def _status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    conditions = parts(part(new, "status"), "conditions")
    yield from conditions_causes(conditions, "status.conditions")
    warnings = parts(part(part(new, "status"), "typeChecking"), "expressionWarnings")
    for index, warning in enumerate(warnings):
        at = f"status.typeChecking.expressionWarnings[{index}]"
        if not warning.get("warning"):
            yield required(f"{at}.warning")
        if not (warning.get("fieldRef") or "").strip():
            yield required(f"{at}.fieldRef")


# ------------------------------------------------------------------------------- mutating


@checks(_GROUP, "mutatingadmissionpolicies")
def _mutating(policy: dict[str, Any]) -> Iterator[Cause]:
    spec = part(policy, "spec")
    yield from _common(spec)
    yield from _operations(part(spec, "matchConstraints"), "spec.matchConstraints")
    mutations = parts(spec, "mutations")
    if not mutations:
        yield required("spec.mutations", "mutations must contain at least one item")
    for index, mutation in enumerate(mutations):
        yield from _mutation(mutation, f"spec.mutations[{index}]")
    again = spec.get("reinvocationPolicy") or ""
    if not again:
        yield required("spec.reinvocationPolicy")
    else:
        yield from one_of("spec.reinvocationPolicy", again, ("IfNeeded", "Never"))


def _operations(match: dict[str, Any], field: str) -> Iterator[Cause]:
    for rule in parts(match, "resourceRules"):
        for operation in texts(rule, "operations"):
            if operation not in _MUTATING:
                yield not_supported(f"{field}.resourceRules.operations", operation, _MUTATING)


def _mutation(mutation: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = mutation.get("patchType") or ""
    if not kind:
        yield required(f"{field}.patchType")
    elif kind not in _PATCHES:
        yield not_supported(f"{field}.patchType", kind, _PATCHES)
    else:
        members = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}
        own = members.pop(kind)
        (other,) = members.values()
        if mutation.get(own) is None:
            yield required(f"{field}.{own}", f"must be specified when patchType is {kind}")
        elif not (mutation[own].get("expression") or "").strip():
            yield required(f"{field}.{own}.expression")
        if mutation.get(other) is not None:
            said = f"must not be specified when patchType is {kind}"
            yield invalid_value(f"{field}.{other}", f"{{{other}}}", said)


# ------------------------------------------------------------------------------- bindings


def _binding(spec: dict[str, Any]) -> Iterator[Cause]:
    yield from text("spec.policyName", spec.get("policyName"), subdomain_problems)
    if spec.get("paramRef") is not None:
        yield from _reference(spec["paramRef"], "spec.paramRef")
    yield from match_resources_causes(spec.get("matchResources"), "spec.matchResources")


def _reference(reference: dict[str, Any], field: str) -> Iterator[Cause]:
    name, selector = reference.get("name") or "", reference.get("selector")
    if name:
        yield from matches(f"{field}.name", name, path_segment_problems)
    yield from selector_causes(selector, f"{field}.selector")
    if name and selector is not None:
        for member in ("name", "selector"):
            yield forbidden_value(f"{field}.{member}", "name and selector are mutually exclusive")
    if not name and selector is None:
        yield required(field, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction") or ""
    if not action:
        yield required(f"{field}.parameterNotFoundAction")
    elif action not in ("Deny", "Allow"):
        yield not_supported(f"{field}.parameterNotFoundAction", action, ("Deny", "Allow"))


@checks(_GROUP, "validatingadmissionpolicybindings")
def _validating_binding(binding: dict[str, Any]) -> Iterator[Cause]:
    spec = part(binding, "spec")
    yield from _binding(spec)
    actions, field = texts(spec, "validationActions"), "spec.validationActions"
    seen: set[str] = set()
    for index, action in enumerate(actions):
        yield from one_of(f"{field}[{index}]", action, _ACTIONS)
        if action in seen:
            yield duplicate(f"{field}[{index}]", action)
        seen.add(action)
    if {"Deny", "Warn"} <= seen:
        said = "must not contain both Deny and Warn (repeating the same validation failure"
        yield invalid_value(
            field, actions, f"{said} information in the API response and headers serves no purpose)"
        )
    if not actions:
        yield required(field, "at least one validation action is required")


@checks(_GROUP, "mutatingadmissionpolicybindings")
def _mutating_binding(binding: dict[str, Any]) -> Iterator[Cause]:
    spec = part(binding, "spec")
    yield from _binding(spec)
    yield from _operations(part(spec, "matchResources"), "spec.matchResources")

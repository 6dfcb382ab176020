"""Where rules are enforced: in the CustomResourceDefinition, in a policy, or in a webhook.

The CustomResourceDefinition is the first choice: it is there when the kind is there. A policy reads
more: the request, all metadata, and built-in kinds. What cannot be translated stays a webhook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Literal, TypeAlias

from clientgen._problems import Problem
from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.rule_expressions import (
    MAX_COST,
    REQUEST,
    Translator,
)
from clientgen.generator.crds.rule_fields import Reader
from clientgen.generator.crds.rule_frames import ElsewhereError
from clientgen.generator.crds.rule_sources import FunctionSource, RefusedError, is_rule, source_of
from clientgen.generator.crds.rule_values import Object, Value
from clientgen.generator.plurals import plural_of
from clientgen.runtime._admission.rules import Rule
from clientgen.runtime._models.model import Model

Place: TypeAlias = Literal["CustomResourceDefinition", "ValidatingAdmissionPolicy", "webhook"]
_BUILT_IN: Final = "it is a rule of a kind without a CustomResourceDefinition here"


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A rule with its place.

    Attributes:
        rule: the rule.
        where: the place of its source.
        place: where it is enforced.
        why: why it is not enforced in an earlier place; empty for a CustomResourceDefinition.
        expression: its CEL; empty for a webhook.
        message_expression: the CEL of its message; empty if the message is constant.
        problems: what servers would refuse of it, because it may cost too much.
    """

    rule: Rule[Any]
    where: str
    place: Place
    why: str = ""
    expression: str = ""
    message_expression: str = ""
    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        why = f": {self.why}" if self.why else ""
        return f"{self.where}: {self.rule.__name__} is enforced by a {self.place}{why}"


def rules_of(modules: Iterable[ModuleType]) -> list[Rule[Any]]:
    """Return the rules that modules define or import, each once, in their order."""
    found: dict[int, Rule[Any]] = {}
    for module in modules:
        for value in list(vars(module).values()):
            if is_rule(value):
                found.setdefault(id(value), value)
    return list(found.values())


def placed(rule: Rule[Any], schema: Schema | None) -> PlacedRule:
    """Return a rule with its place.

    Args:
        rule: the rule.
        schema: the schema of its kind; None if no CustomResourceDefinition of the run defines it.
    """
    try:
        source = source_of(rule.function)
    except RefusedError as error:
        return PlacedRule(rule, error.where or rule.__name__, "webhook", _why(error))
    reasons: list[str] = [] if schema is not None else [_BUILT_IN]
    if schema is not None:
        try:
            return _translated(rule, source, schema, "CustomResourceDefinition", "")
        except ElsewhereError as error:
            reasons.append(str(error))
        except RefusedError as error:
            return PlacedRule(rule, source.where, "webhook", _why(error))
    try:
        why = "; ".join(reasons)
        return _translated(rule, source, schema, "ValidatingAdmissionPolicy", why)
    except RefusedError as error:
        return PlacedRule(rule, source.where, "webhook", _why(error))


def _why(error: RefusedError) -> str:
    where = f"{error.where}: " if error.where else ""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{where}{error.what}{hint}"


def _translated(
    rule: Rule[Any], source: FunctionSource, schema: Schema | None, place: Place, why: str
) -> PlacedRule:
    try:
        return _expressed(rule, source, schema, place, why)
    except RecursionError:
        raise RefusedError(source.where, "it is nested too deeply", "split the rule") from None


def _expressed(
    rule: Rule[Any], source: FunctionSource, schema: Schema | None, place: Place, why: str
) -> PlacedRule:
    is_policy = place == "ValidatingAdmissionPolicy"
    reader = Reader(is_policy=is_policy, is_built_in=schema is None)
    translator = Translator(reader, is_policy=is_policy)
    scope = _scope(rule, source, schema, is_policy=is_policy)
    expression = translator.condition(source, scope)
    old = "oldObject" if is_policy else "oldSelf"
    if "old" in rule.takes and old not in expression:
        raise RefusedError(source.where, "the parameter `old` is not used", "remove it")
    if is_policy and rule.is_of_changes:
        expression = f"oldObject == null || ({expression})"
    message = "" if isinstance(rule.message, str) else _message(rule, translator, schema, is_policy)
    problems = () if is_policy else tuple(_expensive(rule, translator, source.where))
    return PlacedRule(rule, source.where, place, why, expression, message, problems)


def _scope(
    rule: Rule[Any], source: FunctionSource, schema: Schema | None, *, is_policy: bool
) -> dict[str, Value]:
    kind = Object(rule.model, schema)
    first, *others = source.parameters()
    scope = {first: Value(kind, "object" if is_policy else "self")}
    if "old" in others:
        name = "oldObject" if is_policy else "oldSelf"
        if rule.is_of_changes:
            scope["old"] = Value(kind, name)
        else:
            scope["old"] = Value(kind, name if is_policy else f"{name}.value()", optional=name)
    if "request" in others:
        scope["request"] = Value(REQUEST, "request")
    return scope


def _message(
    rule: Rule[Any], translator: Translator, schema: Schema | None, is_policy: bool
) -> str:
    assert not isinstance(rule.message, str)
    source = source_of(rule.message)
    parameters = source.parameters()
    if len(parameters) != 1:
        raise RefusedError(source.where, "the function of the message must take the object only")
    text = "object" if is_policy else "self"
    return translator.text(source, {parameters[0]: Value(Object(rule.model, schema), text)})


def _expensive(rule: Rule[Any], translator: Translator, where: str) -> Iterable[Problem]:
    """Yield what servers refuse because it may cost too much."""
    for place, source in translator.unlimited:
        what = f"the rule {rule.__name__} loops over `{source}`, which has no limit"
        hint = "servers refuse such rules: add `+kubebuilder:validation:MaxItems` (MaxProperties)"
        yield Problem(place, what, hint)
    if not translator.unlimited and translator.cost > MAX_COST:
        times = translator.cost / MAX_COST
        what = f"the rule {rule.__name__} may cost {times:.1f} times as much as servers allow"
        hint = "give lists a smaller MaxItems, and texts a MaxLength"
        yield Problem(where, what, hint)


# ------------------------------------------------------------------------------------- manifests


def validation(each: PlacedRule) -> dict[str, Any]:
    """Return the entry of `x-kubernetes-validations`."""
    rule = each.rule
    entry: dict[str, Any] = {"rule": each.expression}
    if "old" in rule.takes and not rule.is_of_changes:
        entry["optionalOldSelf"] = True
    if each.message_expression:
        entry["messageExpression"] = each.message_expression
    else:
        entry["message"] = rule.message
    if rule.reason != "FieldValueInvalid":
        entry["reason"] = rule.reason
    if rule.field_path:
        entry["fieldPath"] = rule.field_path
    return entry


def policies(
    rules: Iterable[PlacedRule], plurals: Mapping[tuple[str, str], str]
) -> list[dict[str, Any]]:
    """Return a ValidatingAdmissionPolicy and its binding for each rule that needs one.

    Args:
        rules: the rules.
        plurals: the plural of a kind by its group and name; others get the usual one.
    """
    made: list[dict[str, Any]] = []
    for each in rules:
        if each.place == "ValidatingAdmissionPolicy":
            made += _policy(each, plurals)
    return made


def _policy(each: PlacedRule, plurals: Mapping[tuple[str, str], str]) -> list[dict[str, Any]]:
    group, version, kind = gvk_of(each.rule.model)
    plural = plurals.get((group, kind)) or plural_of(kind).lower()
    title = each.rule.__name__.strip("_").replace("_", "-").lower()
    name = ".".join(filter(None, (title, plural, group)))
    checked: dict[str, Any] = {"expression": each.expression}
    if each.message_expression:
        checked["messageExpression"] = each.message_expression
    else:
        checked["message"] = each.rule.message
    is_forbidden = each.rule.reason == "FieldValueForbidden"
    checked["reason"] = "Forbidden" if is_forbidden else "Invalid"
    matched = {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": ["CREATE", "UPDATE"],
        "resources": [plural],
    }
    return [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [matched]},
                "validations": [checked],
            },
        },
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        },
    ]


def gvk_of(model: type[Model]) -> tuple[str, str, str]:
    """Return group, version and kind of a class of objects."""
    constants = {name: str(value) for name, value in model.__constants__.items()}
    group, _, version = constants["api_version"].rpartition("/")
    return group, version, constants["kind"]

"""Rules and columns of admission policies of both kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import service_label_problems, subdomain_problems
from clientgen._json import parts

from ...tables.columns import AGE, NAME, UNSET, Column, Printer, View, size
from ..shared.common_checks import one_of
from .match_resources import condition_causes, match_resources_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apiextensions import PolicyExpressions

_FAILURES: Final = ("Fail", "Ignore")
_IDENTIFIER: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*")
_RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return", "var"),
        *("void", "while"),
    }
)


def _param_kind_text(view: View) -> str:
    kind = view.at("spec", "paramKind")
    return UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def policy_printer(name: str, about: str, path: str) -> Printer:
    """Make the columns of policies; the second one counts the items at `path`."""
    rules = Column(name, about, size(path), type="integer")
    return Printer(
        (NAME, rules, Column("ParamKind", "The kind of its parameters.", _param_kind_text), AGE)
    )


def policy_causes(spec: dict[str, Any], expressions: PolicyExpressions) -> Iterator[Cause]:
    """Check the members that policies of both kinds have; `expressions` learns the variables."""
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
        yield from _variable(variable, f"spec.variables[{index}]", expressions)


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
        why = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid_value(f"{field}.kind", name, why)


def _variable(
    variable: dict[str, Any], field: str, expressions: PolicyExpressions
) -> Iterator[Cause]:
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    if not name.strip():
        yield required(f"{field}.name", "name is not specified")
    elif not _IDENTIFIER.fullmatch(name) or name in _RESERVED:
        yield invalid_value(f"{field}.name", name, "must be a valid CEL identifier")
    if not expression.strip():
        yield required(f"{field}.expression", "expression is not specified")
    elif problem := expressions.add_variable(name, expression):
        yield invalid_value(f"{field}.expression", expression, problem)

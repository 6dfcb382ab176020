"""Rules and columns of the bindings of admission policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, not_supported, required
from clientgen._apimachinery.name_syntax import path_segment_problems, subdomain_problems

from ...tables.columns import AGE, NAME, UNSET, Column, View, field, members
from ..shared.common_checks import matches, selector_causes, text
from .match_resources import match_resources_causes

if TYPE_CHECKING:
    from collections.abc import Iterator


def _param(view: View) -> str:
    """Show the parameter by name; `*` stands for any namespace."""
    parameter = view.members("spec", "paramRef")
    if parameter.get("name"):
        return f"{parameter.get('namespace') or '*'}/{parameter['name']}"
    selector = parameter.get("selector")
    return UNSET if selector is None else _go_selector(selector)


def _go_selector(selector: dict[str, Any]) -> str:
    """Show a LabelSelector as Go prints it, as the API server does here."""
    labels = sorted(members(selector, "matchLabels").items())
    pairs = "".join(f"{key}: {value}," for key, value in labels)
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.get('key', '')},Operator:{each.get('operator', '')},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


BINDING_COLUMNS: Final = (
    NAME,
    Column("PolicyName", "The policy it puts in force.", field("spec.policyName")),
    Column("ParamRef", "The parameters it gives.", _param),
    AGE,
)


def binding_causes(spec: dict[str, Any]) -> Iterator[Cause]:
    """Check the members that bindings of both kinds have."""
    yield from text("spec.policyName", spec.get("policyName"), subdomain_problems)
    if spec.get("paramRef") is not None:
        yield from _reference(spec["paramRef"], "spec.paramRef")
    yield from match_resources_causes(spec.get("matchResources"), "spec.matchResources")


def _reference(reference: dict[str, Any], path: str) -> Iterator[Cause]:
    name, selector = reference.get("name") or "", reference.get("selector")
    if name:
        yield from matches(f"{path}.name", name, path_segment_problems)
    yield from selector_causes(selector, f"{path}.selector")
    if name and selector is not None:
        for member in ("name", "selector"):
            yield forbidden_value(f"{path}.{member}", "name and selector are mutually exclusive")
    if not name and selector is None:
        yield required(path, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction") or ""
    if not action:
        yield required(f"{path}.parameterNotFoundAction")
    elif action not in ("Deny", "Allow"):
        yield not_supported(f"{path}.parameterNotFoundAction", action, ("Deny", "Allow"))

"""Labels and label selectors as text."""

from __future__ import annotations

from typing import Any

from .columns import NONE, members


def labels_text(labels: dict[str, str] | None) -> str:
    """`a=b,c=d`, sorted; `<none>` when there are none."""
    return ",".join(sorted(f"{key}={value}" for key, value in (labels or {}).items())) or NONE


def selector_text(selector: dict[str, Any] | None) -> str:
    """A LabelSelector in the form of the `labelSelector` parameter, sorted by key."""
    if selector is None:
        return ""
    terms = [(key, f"{key}={value}") for key, value in members(selector, "matchLabels").items()]
    terms += [_expression(each) for each in selector.get("matchExpressions") or ()]
    return ",".join(text for _, text in sorted(terms, key=lambda term: term[0]))


def shown_selector(selector: dict[str, Any] | None) -> str:
    """The same; `<none>` when it is empty or missing."""
    return selector_text(selector) or NONE


def _expression(requirement: dict[str, Any]) -> tuple[str, str]:
    key = str(requirement.get("key", ""))
    operator = requirement.get("operator")
    if operator in ("In", "NotIn"):
        values = ",".join(sorted(requirement.get("values") or ()))
        return key, f"{key} {str(operator).lower()} ({values})"
    return key, f"!{key}" if operator == "DoesNotExist" else key

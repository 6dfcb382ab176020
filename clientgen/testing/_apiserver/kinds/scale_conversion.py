"""The scale subresource of built-in kinds.

Facts: docs/internals/kubernetes-semantics.md, 1.4.
"""

from __future__ import annotations

from typing import Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._json import part, parts, texts

_SHOWN: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_OPERATORS: Final = {"In": "in", "NotIn": "notin"}


def to_scale(obj: dict[str, Any], selector: dict[str, Any]) -> dict[str, Any]:
    """Return the Scale of an object with this label selector."""
    spec, status = part(obj, "spec"), part(obj, "status")
    metadata = obj["metadata"]
    text = _selector_text(selector)
    shown: dict[str, Any] = {"replicas": status.get("replicas", 0)}
    if text:
        shown["selector"] = text
    replicas = spec.get("replicas", 0)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: metadata[field] for field in _SHOWN if field in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": shown,
    }


def from_scale(obj: dict[str, Any], scale: dict[str, Any]) -> dict[str, Any]:
    """Return the object with the replicas of a Scale; `obj` itself does not change."""
    replicas = part(scale, "spec").get("replicas", 0)
    return {**obj, "spec": {**part(obj, "spec"), "replicas": replicas}}


def scale_causes(scale: dict[str, Any]) -> list[Cause]:
    """List the mistakes in a Scale."""
    replicas = part(scale, "spec").get("replicas") or 0
    if replicas >= 0:
        return []
    return [invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")]


def _selector_text(selector: dict[str, Any]) -> str:
    """Write a label selector as query parameters have it."""
    terms = [(key, f"{key}={value}") for key, value in part(selector, "matchLabels").items()]
    for requirement in parts(selector, "matchExpressions"):
        key = requirement.get("key", "")
        terms.append((key, _term(key, requirement)))
    return ",".join(text for _, text in sorted(terms, key=lambda term: term[0]))


def _term(key: str, requirement: dict[str, Any]) -> str:
    operator = requirement.get("operator")
    if operator in _OPERATORS:
        values = ",".join(sorted(texts(requirement, "values")))
        return f"{key} {_OPERATORS[operator]} ({values})"
    return f"!{key}" if operator == "DoesNotExist" else key

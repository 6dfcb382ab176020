"""Deprecated labels of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import label_value_problems
from clientgen._json import parts, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEPRECATED: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def label_warning(key: str) -> str:
    """Return the warning for a label of nodes; it is empty for labels that are in use."""
    return _DEPRECATED.get(key, "")


def expression_warnings(
    term: Mapping[str, Any], field: str, *, values: bool = False
) -> Iterator[str]:
    """Warn of labels in the expressions of a selector; with `values`, in their values too."""
    for index, expression in enumerate(parts(term, "matchExpressions")):
        at, key = f"{field}.matchExpressions[{index}]", expression.get("key") or ""
        if why := label_warning(key):
            yield f"{at}.key: {key} is {why}"
        for number, value in enumerate(texts(expression, "values") if values else ()):
            for problem in label_value_problems(value):
                yield f"{at}.values[{number}]: {value} is invalid, {problem}"

"""Rules in CEL that are written by a word: one of these fields, never changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any, Final

from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker

_COUNTS: Final[Mapping[str, tuple[str, str]]] = {
    "validation:ExactlyOneOf": ("== 1", "exactly one"),
    "validation:AtMostOneOf": ("<= 1", "at most one"),
    "validation:AtLeastOneOf": (">= 1", "at least one"),
}
UNCHANGED: Final[Mapping[str, Any]] = {
    "rule": "self == oldSelf",
    "message": "it cannot be changed",
}
"""The rule of a field that never changes once it is set."""
# CEL's own words cannot be names; https://kubernetes.io/docs/reference/using-api/cel/.
_WORDS: Final = frozenset(
    keyword
    for line in (
        "true false null in as break const continue else for function if",
        "import let loop package namespace return var void while",
    )
    for keyword in line.split()
)
_SIGNS: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_NAME: Final = re.compile(r"[A-Za-z_./-][\w./-]*", re.ASCII)


def cel_name(name: str) -> str | None:
    """Return the name of a field in a rule, or None if rules cannot name it."""
    if name in _WORDS:
        return f"__{name}__"
    if not _NAME.fullmatch(name):
        return None
    return re.sub(r"__|[./-]", lambda match: _SIGNS[match[0]], name)


def group_rule(
    marker: KubebuilderMarker, schema: Schema, problems: Problems
) -> dict[str, Any] | None:
    """The rule of a marker that counts which fields of a class are set."""
    if marker.name not in _COUNTS:
        return None
    properties = schema.get("properties", {})
    for name in marker.value:
        if name not in properties:
            close = difflib.get_close_matches(name, properties, n=1)
            hint = (
                f"did you mean `{close[0]}`?"
                if close
                else f"its fields are {', '.join(properties)}"
            )
            problems.add(marker.where, f"`+{marker.written}` names no field: `{name}`", hint)
    comparison, how_many = _COUNTS[marker.name]
    names = [cel_name(name) for name in marker.value]
    each = ", ".join(f"has(self.{name})" for name in names if name)
    message = f"{how_many} of {', '.join(marker.value)} has to be set"
    return {"rule": f"[{each}].filter(x, x).size() {comparison}", "message": message}

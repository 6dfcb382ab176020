"""Parts of rules in CEL for `+k8s:` tags: fields, whether they are set, and their values.

A field counts as set as in Kubernetes: strings, lists and maps if they are not empty, and other
values if they are there.
"""

from __future__ import annotations

from typing import Final

from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.immutability_rules import cel_name
from clientgen.generator.crds.tag_statements import check_type, literal
from clientgen.generator.kubebuilder.declarative_tags import Scalar
from clientgen.generator.kubebuilder.marker_values import MarkerValueError

KEYS: Final = "x-kubernetes-list-map-keys"
_NO_SIZE: Final = frozenset(["date", "date-time", "datetime", "duration"])


def spelt(name: str) -> str:
    """Return the name of a field as rules spell it.

    Raises:
        MarkerValueError: rules cannot name the field.
    """
    escaped = cel_name(name)
    if escaped is None:
        raise MarkerValueError(f"rules in CEL cannot name the field `{name}`", "rename it")
    return escaped


def access(name: str, of: str = "self") -> str:
    """Return the expression for a field of an object."""
    return f"{of}.{spelt(name)}"


def is_set(name: str, schema: Schema, of: str = "self") -> str:
    """An expression that tells whether a field of an object is set."""
    here = access(name, of)
    inner: Schema = schema["properties"][name]
    check_type(inner)
    is_map = "additionalProperties" in inner
    is_text = inner.get("type") == "string" and inner.get("format") not in _NO_SIZE
    if is_text or is_map or inner.get("type") == "array":
        return f"(has({here}) && {here}.size() > 0)"
    return f"has({here})"


def sibling(name: str, other: str, schema: Schema) -> str:
    """Return the name of another field of the same object.

    Raises:
        MarkerValueError: there is no such field.
    """
    properties: dict[str, Schema] = schema["properties"]
    if other not in properties:
        what = f"there is no field `{other}` beside it"
        raise MarkerValueError(what, f"the fields are {', '.join(properties)}")
    if other == name:
        raise MarkerValueError("it names its own field", "name another one")
    return other


def is_value(name: str, value: Scalar, schema: Schema) -> str:
    """An expression that tells whether a field has a value."""
    inner: Schema = schema["properties"][name]
    if inner.get("type") == "boolean" and isinstance(value, str):
        if value not in ("true", "false"):
            raise MarkerValueError(f"`{name}` is true or false, not {literal(value)}", "name one")
        value = value == "true"
    elif inner.get("type") not in ("string", "boolean"):
        raise MarkerValueError(f"`{name}` is not a string", "a discriminator is one")
    choices = inner.get("enum")
    if choices is not None and value not in choices:
        listed = ", ".join(map(literal, choices))
        hint = f"the values are {listed}; another name is `(memberName: {literal(choices[0])})`"
        raise MarkerValueError(f"`{name}` is never {literal(value)}", hint)
    here = access(name)
    return f"has({here}) && {here} == {literal(value)}"

"""What a `+k8s:` tag says of one value: keywords of its schema, or a rule in CEL.

Messages are those of Kubernetes' declarative validation (`k8s.io/apimachinery/pkg/api/validate`).
A keyword has the message of the server's schema validation instead, which states the same limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from clientgen.generator.crds.annotation_schemas import INT_OR_STRING, Schema
from clientgen.generator.crds.constraints import kinds_of, kinds_text
from clientgen.generator.kubebuilder.declarative_tags import Scalar, Tag
from clientgen.generator.kubebuilder.marker_values import MarkerValueError

Write: TypeAlias = Callable[[str], str]
"""Makes an expression about the value that a name stands for."""

FORBIDDEN: Final = "FieldValueForbidden"
REQUIRED: Final = "FieldValueRequired"
DUPLICATE: Final = "FieldValueDuplicate"
_LABEL: Final = 63
_SUBDOMAIN: Final = 253
_IDENTIFIER: Final = 32
_LABEL_KEY: Final = _SUBDOMAIN + 1 + _LABEL
_DNS_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_NAME: Final = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in CEL about `self`.

    `message_expression` makes the message, if it depends on the value. `at` names the field that
    the error is about, if that is not the value itself.
    """

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    at: str = ""

    def entry(self) -> dict[str, Any]:
        """The rule as an entry of `x-kubernetes-validations`."""
        entry = {
            "rule": self.rule,
            "message": self.message,
            "messageExpression": self.message_expression,
            "reason": self.reason,
            "fieldPath": _field_path(self.at) if self.at else "",
        }
        return {key: value for key, value in entry.items() if value}


@dataclass(frozen=True, slots=True)
class Statement:
    """What one tag says of a value.

    `keywords` say it in a schema. `write` says it of the value with some name; `message_expression`
    does so for the message. `is_change` tells that it compares with the old value.
    """

    write: Write
    message: str = ""
    message_expression: Write | None = None
    keywords: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    reason: str = ""
    is_change: bool = False

    def rule(self, name: str = "self") -> Rule:
        """The rule about the value with this name."""
        expression = self.message_expression(name) if self.message_expression else ""
        return Rule(self.write(name), self.message, expression, self.reason)


def literal(value: Scalar) -> str:
    """A value as CEL writes it."""
    return json.dumps(value, ensure_ascii=False)


def _field_path(name: str) -> str:
    return f".{name}" if name.isidentifier() else f"['{name}']"


def statement(tag: Tag, schema: Schema) -> Statement:
    """What a tag says of the value with this schema.

    Raises:
        MarkerValueError: the tag says nothing of such values.
    """
    make = _MAKERS.get(tag.name)
    if make is None:
        raise MarkerValueError("it does not apply to one value", "write it above a field")
    check_type(schema)
    kinds, wanted = kinds_of(schema), _FITS[tag.name]
    if not kinds & wanted:
        what = f"it is for {kinds_text(wanted)}, and this is {kinds_text(kinds)}"
        raise MarkerValueError(what, "leave it out")
    if tag.name in _OF_TEXT and schema.get("format") in _NOT_TEXT:
        what = f"the value is no text: its format is {schema['format']}"
        raise MarkerValueError(what, "leave it out")
    return make(tag, schema)


def check_type(schema: Schema) -> None:
    """Check that rules can look at the values with this schema.

    Raises:
        MarkerValueError: the values may be anything.
    """
    if "type" not in schema and INT_OR_STRING not in schema:
        raise MarkerValueError("rules cannot look at a value of any type", "give it a type")


def _limit(tag: Tag, _schema: Schema) -> Statement:
    most = int(tag.value or 0)
    compare, message = _LIMITS[tag.name]
    return Statement(
        lambda name: compare.replace("?", name).replace("#", str(most)),
        message.replace("#", str(most)),
        keywords={tag.name: most},
    )


def _max_bytes(tag: Tag, _schema: Schema) -> Statement:
    most = int(tag.value or 0)
    message = f"may not be more than {most} bytes"
    limits = {"maxLength": most}  # a text has at least as many bytes as characters
    return Statement(lambda name: f"bytes({name}).size() <= {most}", message, limits=limits)


def _neq(tag: Tag, schema: Schema) -> Statement:
    value = tag.value if tag.value is not None else ""
    if not kinds_of(schema) & _kinds_of_value(value):
        raise MarkerValueError(f"{literal(value)} is not of the type of the value", "quote strings")
    shown = literal(value)
    return Statement(lambda name: f"{name} != {shown}", f"must not be equal to {shown}")


def _kinds_of_value(value: Scalar) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset(["boolean"])
    return frozenset(["integer"] if isinstance(value, int) else ["string"])


def _enum(_tag: Tag, schema: Schema) -> Statement:
    if "enum" not in schema:
        hint = 'name them in the type: `Literal["A", "B"]`, without `| str`'
        raise MarkerValueError("the type of the value has no list of values", hint)
    return Statement(lambda name: f"{name} in {json.dumps(schema['enum'], ensure_ascii=False)}")


def _immutable(_tag: Tag, _schema: Schema) -> Statement:
    return Statement(lambda name: f"{name} == {old(name)}", "field is immutable", is_change=True)


def _update(tag: Tag, _schema: Schema) -> Statement:
    if tag.value != "NoModify":
        hint = "write it above the field itself"
        raise MarkerValueError(f"{tag.value} does not apply to items, values or keys", hint)
    message = "field cannot be modified once set"
    return Statement(lambda name: f"{name} == {old(name)}", message, is_change=True)


def _monotonic(_tag: Tag, _schema: Schema) -> Statement:
    return Statement(
        lambda name: f"{name} >= {old(name)}",
        "may not be decreased",
        lambda name: f'"may not be decreased from " + string({old(name)})',
        is_change=True,
    )


def old(name: str) -> str:
    """The old value of what a name stands for: `oldSelf.size` of `self.size`."""
    head, dot, rest = name.partition(".")
    if head != "self":
        raise MarkerValueError(
            "old values are known of fields, and of items by key", "leave it out"
        )
    return f"oldSelf{dot}{rest}"


def _unique(tag: Tag, schema: Schema) -> Statement:
    same = "a == b"
    if tag.value == "map":
        keys: list[str] = schema.get("x-kubernetes-list-map-keys") or []
        if not keys:
            raise MarkerValueError("a map needs keys", "add `+k8s:listMapKey=name` for each")
        same = " && ".join(f"a.{key} == b.{key}" for key in keys)
    return Statement(
        lambda name: f"{name}.all(a, {name}.exists_one(b, {same}))",
        "items must be unique",
        reason=DUPLICATE,
    )


def _format(tag: Tag, _schema: Schema) -> Statement:
    made = _FORMATS.get(str(tag.value))
    if made is None:
        what = f"it does not know the format `{tag.value}`"
        raise MarkerValueError(what, f"the formats are {', '.join(_FORMATS)}")
    return made


def _named(name: str, limit: int) -> Statement:
    """A format that CEL knows, with its messages."""
    check = f"format.{name}().validate"
    return Statement(
        lambda value: f"!{check}({value}).hasValue()",
        message_expression=lambda value: f'{check}({value}).value().join(", ")',
        limits={"maxLength": limit},
    )


def _prefixed_label_key() -> Statement:
    check = "format.qualifiedName().validate"
    no_prefix = literal("must include a prefix (e.g. 'example.com/key')")
    return Statement(
        lambda value: f'{value}.contains("/") && !{check}({value}).hasValue()',
        message_expression=lambda value: (
            f'{check}({value}).hasValue() ? {check}({value}).value().join(", ") : {no_prefix}'
        ),
        limits={"maxLength": _LABEL_KEY},
    )


def _path_segment() -> Statement:
    return Statement(
        lambda value: (
            f'!({value} in [".", ".."]) && !{value}.contains("/") && !{value}.contains("%")'
        ),
        message_expression=lambda value: (
            f"""{value} in [".", ".."] ? "may not be '" + {value} + "'" : """
            f"""{value}.contains("/") ? "may not contain '/'" : "may not contain '%'\""""
        ),
    )


def _extended_resource() -> Statement:
    check = "format.qualifiedName().validate"
    no_domain = literal("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    native = literal('must not have "kubernetes.io/" domain')
    quota = literal('must not have "requests." prefix')
    return Statement(
        lambda value: (
            f'{value}.contains("/") && !{value}.contains("kubernetes.io/") && '
            f'!{value}.startsWith("requests.") && !{check}("requests." + {value}).hasValue()'
        ),
        message_expression=lambda value: (
            f'!{value}.contains("/") ? {no_domain} : '
            f'{value}.contains("kubernetes.io/") ? {native} : '
            f'{value}.startsWith("requests.") ? {quota} : '
            f'{check}("requests." + {value}).value().join(", ")'
        ),
        limits={"maxLength": _LABEL_KEY - len("requests.")},
    )


def _resource_pool() -> Statement:
    check = "format.dns1123Subdomain().validate"
    wrong = f"filter(part, {check}(part).hasValue())[0]"
    return Statement(
        lambda value: f'{value}.split("/").all(part, !{check}(part).hasValue())',
        message_expression=lambda value: f'{check}({value}.split("/").{wrong}).value().join(", ")',
        limits={"maxLength": _SUBDOMAIN},
    )


def _matching(pattern: str, message: str, limit: int) -> Statement:
    return Statement(
        lambda value: f"{value}.matches({literal(pattern)})", message, limits={"maxLength": limit}
    )


def _qualified() -> Statement:
    # validation-gen takes more than one slash by mistake; this does not.
    pattern = literal(f"^{_DNS_NAME}/[A-Za-z_][A-Za-z0-9_]{{0,{_IDENTIFIER - 1}}}$")
    return Statement(
        lambda value: f'{value}.indexOf("/") <= {_LABEL} && {value}.matches({pattern})',
        "a fully qualified name must be a domain and a name separated by a slash",
        limits={"maxLength": _LABEL + 1 + _IDENTIFIER},
    )


_HEXADECIMAL: Final = "[0-9a-f]"
_FORMATS: Final[Mapping[str, Statement]] = {
    "k8s-extended-resource-name": _extended_resource(),
    "k8s-label-key": _named("qualifiedName", _LABEL_KEY),
    "k8s-label-value": _named("labelValue", _LABEL),
    "k8s-long-name": _named("dns1123Subdomain", _SUBDOMAIN),
    "k8s-long-name-caseless": _matching(
        f"^(?i){_DNS_NAME}$",
        "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is "
        f"'{_DNS_NAME}')",
        _SUBDOMAIN,
    ),
    "k8s-path-segment-name": _path_segment(),
    "k8s-prefixed-label-key": _prefixed_label_key(),
    "k8s-resource-fully-qualified-name": _qualified(),
    "k8s-resource-pool-name": _resource_pool(),
    "k8s-short-name": _named("dns1123Label", _LABEL),
    "k8s-uuid": _matching(
        f"^{_HEXADECIMAL}{{8}}(-{_HEXADECIMAL}{{4}}){{3}}-{_HEXADECIMAL}{{12}}$",
        "must be a lowercase UUID in 8-4-4-4-12 format",
        36,
    ),
}
_OF_TEXT: Final = frozenset(["format", "maxBytes", "neq"])
# Formats of strings that are of another type in rules.
_NOT_TEXT: Final = frozenset(["byte", "date", "date-time", "duration"])
# `?` is the value, and `#` the limit.
_LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "maxItems": ("?.size() <= #", "must have at most # items"),
    "maxLength": ("?.size() <= #", "may not be more than # characters"),
    "maxProperties": ("?.size() <= #", "must have at most # items"),
    "maximum": ("? <= #", "must be less than or equal to #"),
    "minItems": ("?.size() >= #", "must have at least # items"),
    "minLength": ("?.size() >= #", "must be at least # characters"),
    "minProperties": ("?.size() >= #", "must have at least # items"),
    "minimum": ("? >= #", "must be greater than or equal to #"),
}
_STRING: Final = frozenset(["string"])
_INTEGER: Final = frozenset(["integer"])
_NUMBER: Final = _INTEGER | {"number"}
_ARRAY: Final = frozenset(["array"])
_OBJECT: Final = frozenset(["object"])
_SCALAR: Final = _STRING | _INTEGER | {"boolean"}
_ANY: Final = _SCALAR | _ARRAY | _OBJECT | {"number"}
_FITS: Final[Mapping[str, frozenset[str]]] = {
    "enum": _STRING | _INTEGER,
    "format": _STRING,
    "immutable": _ANY,
    "maxBytes": _STRING,
    "maxItems": _ARRAY,
    "maxLength": _STRING,
    "maxProperties": _OBJECT,
    "maximum": _NUMBER,
    "minItems": _ARRAY,
    "minLength": _STRING,
    "minProperties": _OBJECT,
    "minimum": _NUMBER,
    "monotonic": _INTEGER,
    "neq": _SCALAR,
    "unique": _ARRAY,
    "update": _ANY,
}
_MAKERS: Final[Mapping[str, Callable[[Tag, Schema], Statement]]] = {
    **dict.fromkeys(_LIMITS, _limit),
    "enum": _enum,
    "format": _format,
    "immutable": _immutable,
    "maxBytes": _max_bytes,
    "monotonic": _monotonic,
    "neq": _neq,
    "unique": _unique,
    "update": _update,
}

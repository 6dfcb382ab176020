"""The markers of kubebuilder that say something about a CustomResourceDefinition.

Names are those of Kubernetes' controller-tools without `kubebuilder:`; where two spellings mean the
same, `ALIASES` leads to the one that is used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from clientgen.generator.kubebuilder.marker_values import ValueKind

Level: TypeAlias = Literal["type", "field", "module"]

PREFIX: Final = "kubebuilder:"
ITEMS: Final = "validation:items:"


@dataclass(frozen=True, slots=True)
class MarkerRule:
    """The arguments of one marker: a value of its own, or named arguments."""

    levels: frozenset[Level]
    kind: ValueKind = "flag"
    arguments: Mapping[str, ValueKind] = field(default_factory=dict[str, "ValueKind"])
    required: tuple[str, ...] = ()
    # The values that are allowed: of the marker ("") or of an argument.
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    repeated: bool = False
    # The spelling of controller-tools: with `kubebuilder:` or without.
    prefixed: bool = True


_TYPE: Final = frozenset[Level](["type"])
_FIELD: Final = frozenset[Level](["field"])
_BOTH: Final = _TYPE | _FIELD
_MODULE: Final = frozenset[Level](["module"])
_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_REASONS: Final = (
    "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
)  # fmt: skip

_VALIDATION: Final[dict[str, MarkerRule]] = {
    **{
        name: MarkerRule(_BOTH, kind)
        for name, kind in {
            "Minimum": "number",
            "Maximum": "number",
            "ExclusiveMinimum": "bool",
            "ExclusiveMaximum": "bool",
            "MultipleOf": "number",
            "MinLength": "int",
            "MaxLength": "int",
            "Pattern": "string",
            "MinItems": "int",
            "MaxItems": "int",
            "UniqueItems": "bool",
            "MinProperties": "int",
            "MaxProperties": "int",
            "Enum": "[any]",
            "Format": "string",
            "XPreserveUnknownFields": "flag",
            "XEmbeddedResource": "flag",
            "XIntOrString": "flag",
        }.items()
    },
    "Type": MarkerRule(_BOTH, "string", choices={"": _TYPES}),
    "XValidation": MarkerRule(
        _BOTH,
        arguments={
            "rule": "string",
            "message": "string",
            "messageExpression": "string",
            "reason": "string",
            "fieldPath": "string",
            "optionalOldSelf": "bool",
        },
        required=("rule",),
        choices={"reason": _REASONS},
        repeated=True,
    ),
}

MARKERS: Final[Mapping[str, MarkerRule]] = MappingProxyType(
    {
        **{f"validation:{name}": word for name, word in _VALIDATION.items()},
        "validation:Schemaless": MarkerRule(_FIELD),
        **{
            f"validation:{name}": MarkerRule(_TYPE, "[string]", repeated=True)
            for name in ("ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf")
        },
        "required": MarkerRule(_FIELD | _MODULE, prefixed=False),
        "optional": MarkerRule(_FIELD | _MODULE, prefixed=False),
        "nullable": MarkerRule(_FIELD, prefixed=False),
        "default": MarkerRule(_FIELD, "any"),
        "example": MarkerRule(_FIELD, "any"),
        "title": MarkerRule(_BOTH, "string"),
        "externalDocs": MarkerRule(
            _BOTH, arguments={"url": "string", "description": "string"}, required=("url",)
        ),
        "immutable": MarkerRule(_FIELD, prefixed=False),
        "listType": MarkerRule(
            _BOTH, "string", choices={"": ("atomic", "map", "set")}, prefixed=False
        ),
        "listMapKey": MarkerRule(_BOTH, "string", prefixed=False, repeated=True),
        "mapType": MarkerRule(
            _BOTH, "string", choices={"": ("atomic", "granular")}, prefixed=False
        ),
        "structType": MarkerRule(
            _BOTH, "string", choices={"": ("atomic", "granular")}, prefixed=False
        ),
        "subresource:status": MarkerRule(_TYPE),
        "subresource:scale": MarkerRule(
            _TYPE,
            arguments={"specpath": "string", "statuspath": "string", "selectorpath": "string"},
            required=("specpath", "statuspath"),
        ),
        "resource": MarkerRule(
            _TYPE,
            arguments={
                "path": "string",
                "shortName": "[string]",
                "categories": "[string]",
                "singular": "string",
                "scope": "string",
            },
            choices={"scope": ("Namespaced", "Cluster")},
        ),
        "printcolumn": MarkerRule(
            _TYPE,
            arguments={
                "name": "string",
                "type": "string",
                "JSONPath": "string",
                "description": "string",
                "format": "string",
                "priority": "int",
            },
            required=("name", "type", "JSONPath"),
            choices={"type": ("boolean", "date", "integer", "number", "string")},
            repeated=True,
        ),
        "selectablefield": MarkerRule(
            _TYPE, arguments={"JSONPath": "string"}, required=("JSONPath",), repeated=True
        ),
        "storageversion": MarkerRule(_TYPE),
        "unservedversion": MarkerRule(_TYPE),
        "deprecatedversion": MarkerRule(_TYPE, arguments={"warning": "string"}),
        "skipversion": MarkerRule(_TYPE),
        "metadata": MarkerRule(
            _TYPE, arguments={"annotations": "[string]", "labels": "[string]"}, repeated=True
        ),
        "skip": MarkerRule(_TYPE | _MODULE),
        "groupName": MarkerRule(_MODULE, "string", prefixed=False),
        "versionName": MarkerRule(_MODULE, "string", prefixed=False),
    }
)

ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kubebuilder:validation:Required": "required",
        "kubebuilder:validation:Optional": "optional",
        "kubebuilder:validation:EmbeddedResource": "validation:XEmbeddedResource",
        "kubebuilder:pruning:PreserveUnknownFields": "validation:XPreserveUnknownFields",
        "default": "default",
        "k8s:required": "required",
        "k8s:optional": "optional",
        "k8s:listType": "listType",
        "k8s:listMapKey": "listMapKey",
        "k8s:minimum": "validation:Minimum",
        "k8s:maximum": "validation:Maximum",
        "k8s:minLength": "validation:MinLength",
        "k8s:maxLength": "validation:MaxLength",
        "k8s:minItems": "validation:MinItems",
        "k8s:maxItems": "validation:MaxItems",
        "k8s:minProperties": "validation:MinProperties",
        "k8s:maxProperties": "validation:MaxProperties",
    }
)

IGNORED: Final = (
    "genclient",
    "genclient:",
    "resourceName",
    "groupGoName",
    "kubebuilder:object:",
    "kubebuilder:rbac:",
    "kubebuilder:webhook:",
    "kubebuilder:ac:",
    "k8s:deepcopy-gen",
    "k8s:openapi-gen",
    "k8s:defaulter-gen",
    "k8s:conversion-gen",
    "k8s:protobuf-gen",
    "k8s:client-gen",
    "k8s:lister-gen",
    "k8s:informer-gen",
    "k8s:applyconfiguration-gen",
    "patchStrategy",
    "patchMergeKey",
    "protobuf",
)
"""Markers of other generators: those of `+genclient` are read by `generator.markers`, and the rest
are about Go or about what stands beside the types."""

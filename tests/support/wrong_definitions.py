"""Definitions in which something is wrong, and what every server says of them: reason and field."""

from __future__ import annotations

from typing import Any

from support.definitions import custom_definition, custom_version

__all__ = [
    "AT",
    "ROOTS",
    "SCHEMA",
    "SCHEMAS_OF_SPEC",
    "SPECS",
    "TEXT",
    "UNREADABLE",
    "definition",
    "version",
    "with_root",
    "with_spec",
]

TEXT = {"type": "string"}
SPEC = {"type": "object", "properties": {"color": TEXT, "tags": {"type": "array", "items": TEXT}}}
SCHEMA = {"type": "object", "properties": {"spec": SPEC}}
AT = "spec.validation.openAPIV3Schema"
IN = f"{AT}.properties[spec]"


def version(name: str = "v1", **more: Any) -> dict[str, Any]:
    return {**custom_version(name, SCHEMA), **more}


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A definition as it is sent."""
    return custom_definition("example.com", "Widget", *(versions or [version()]), **spec)


def with_root(schema: dict[str, Any]) -> dict[str, Any]:
    """A definition of objects with this schema."""
    return definition(version(schema={"openAPIV3Schema": schema}))


def with_spec(schema: dict[str, Any]) -> dict[str, Any]:
    """A definition of objects whose spec has this schema."""
    return with_root({"type": "object", "properties": {"spec": schema}})


ITEMS = {"type": "object", "properties": {"a": TEXT}}
LIST_MAP = {"type": "array", "items": ITEMS, "x-kubernetes-list-type": "map"}
SCHEMAS_OF_SPEC: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"properties": {"a": TEXT}}, [("Required", f"{IN}.type")]),
    ({"type": "array"}, [("Required", f"{IN}.items")]),
    ({"type": "thing"}, [("NotSupported", f"{IN}.type")]),
    ({"type": "object", "additionalProperties": TEXT, "properties": {"a": TEXT}},
     [("Forbidden", f"{IN}.additionalProperties")]),
    ({**ITEMS, "anyOf": [{"type": "object"}]}, [("Forbidden", f"{IN}.anyOf[0].type")]),
    ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, []),
    ({"type": "integer", "default": "x"}, [("TypeInvalid", f"{IN}.default")]),
    ({**ITEMS, "default": {"z": 1}}, [("Invalid", f"{IN}.default")]),
    ({"type": "string", "pattern": "("}, [("Invalid", f"{IN}.pattern")]),
    (LIST_MAP, [("Required", f"{IN}.x-kubernetes-list-map-keys")]),
    ({**LIST_MAP, "x-kubernetes-list-map-keys": ["a"]},
     [("Required", f"{IN}.items.properties[a].default")]),
    ({"type": "array", "items": ITEMS, "x-kubernetes-list-type": "set"},
     [("Invalid", f"{IN}.items.x-kubernetes-map-type")]),
    ({"type": "string", "x-kubernetes-list-type": "set"}, [("Invalid", f"{IN}.type")]),
    ({"type": "object", "x-kubernetes-map-type": "odd"},
     [("NotSupported", f"{IN}.x-kubernetes-map-type")]),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": False},
     [("Invalid", f"{IN}.x-kubernetes-preserve-unknown-fields")]),
    ({"type": "object", "x-kubernetes-embedded-resource": True},
     [("Required", f"{IN}.properties")]),
    ({"type": "array", "items": TEXT, "uniqueItems": True}, [("Forbidden", f"{IN}.uniqueItems")]),
    ({"$ref": "#/x"}, [("Forbidden", f"{IN}.$ref")]),
    ({**ITEMS, "x-kubernetes-validations": [{"rule": "self.b == ''"}]},
     [("Invalid", f"{IN}.x-kubernetes-validations[0].rule")]),
    ({**ITEMS, "x-kubernetes-validations": [{"rule": " "}]},
     [("Required", f"{IN}.x-kubernetes-validations[0].rule")]),
    ({**ITEMS, "x-kubernetes-validations": [{"rule": "true", "reason": "Odd", "fieldPath": ".z"}]},
     [("NotSupported", f"{IN}.x-kubernetes-validations[0].reason"),
      ("Invalid", f"{IN}.x-kubernetes-validations[0].fieldPath")]),
    ({"type": "array", "maxItems": 3,  # a server counts what a rule may cost
      "items": {**TEXT, "maxLength": 9, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}},
     [("Invalid", f"{IN}.items.x-kubernetes-validations[0].rule")]),
]  # fmt: skip


ROOTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({**SCHEMA, "anyOf": [{"properties": {"z": {"minLength": 1}}}]},
     [("Required", f"{AT}.properties[z]")]),
    ({"type": "string"}, [("Invalid", f"{AT}.type")]),
    ({"type": "object", "nullable": True}, [("Forbidden", f"{AT}.nullable")]),
    ({"type": "object", "properties": {"metadata": {"type": "object", "description": "x"}}},
     [("Forbidden", f"{AT}.properties[metadata]")]),
    ({"type": "object",
      "properties": {"metadata": {"type": "object", "properties": {"name": TEXT}}}}, []),
    ({"type": "object", "properties": {"kind": {**TEXT, "default": "x"}}},
     [("Forbidden", f"{AT}.properties[kind].default")]),
    ({"type": "object", "additionalProperties": TEXT},
     [("Forbidden", f"{AT}.additionalProperties")]),
]  # fmt: skip


# What cannot stand at the root where the status is written apart, not even if it says nothing.
AT_ROOT: list[dict[str, Any]] = [
    {"allOf": []}, {"enum": []}, {"definitions": {}}, {"minProperties": 0},
    {"x-kubernetes-list-map-keys": []}, {"x-kubernetes-map-type": "granular"},
]  # fmt: skip
WITH_STATUS = {"subresources": {"status": {}}}
SPECS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    *((definition(version(schema={"openAPIV3Schema": {**SCHEMA, **more}}, **WITH_STATUS)),
       [("Invalid", AT)]) for more in AT_ROOT),
    (definition(version(schema={"openAPIV3Schema": {**SCHEMA, "id": "", "nullable": False}},
                        **WITH_STATUS)), []),
    (definition(scope="Everywhere"), [("NotSupported", "spec.scope")]),
    (definition(version("V1", storage=True)),
     [("Invalid", "spec.versions[0].name"), ("Invalid", "spec.version")]),
    (definition(version(), version("v2", storage=True)), [("Invalid", "spec.versions"),
     ("Invalid", "status.storedVersions")]),
    (definition(version(storage=False)), [("Invalid", "spec.versions"),
     ("Invalid", "status.storedVersions")]),
    (definition(version(), version("v1", storage=False)), [("Invalid", "spec.versions")]),
    (definition(version(), version()), [("Invalid", "spec.versions"),
     ("Invalid", "spec.versions"), ("Invalid", "status.storedVersions")]),
    (definition(version(schema=None)), [("Required", "spec.versions[0].schema.openAPIV3Schema")]),
    (definition(preserveUnknownFields=True), [("Invalid", "spec.preserveUnknownFields")]),
    (definition(group="example"), [("Invalid", "metadata.name"), ("Invalid", "spec.group")]),
    (definition(names={"plural": "widgets", "kind": "a_b", "shortNames": ["X"]}),
     [("Invalid", "spec.names.singular"), ("Invalid", "spec.names.kind"),
      ("Invalid", "spec.names.listKind"), ("Invalid", "spec.names.shortNames[0]")]),
    (definition(version(additionalPrinterColumns=[{"name": "a", "type": "odd", "jsonPath": "x"}])),
     [("Invalid", "spec.additionalPrinterColumns[0].type"),
      ("Invalid", "spec.additionalPrinterColumns[0].JSONPath")]),
    (definition(version(selectableFields=[{"jsonPath": ".spec.tags"}, {"jsonPath": ".spec.no"}])),
     [("Invalid", "spec.selectableFields[0].jsonPath"),
      ("Invalid", "spec.selectableFields[1].jsonPath")]),
    (definition(version(subresources={"scale": {"specReplicasPath": ".status.x"}})),
     [("Invalid", "spec.subresources.scale.specReplicasPath"),
      ("Required", "spec.subresources.scale.statusReplicasPath")]),
    (definition(version(deprecationWarning="old")),
     [("Invalid", "spec.versions[0].deprecationWarning")]),
    (definition(conversion={"strategy": "Webhook", "webhook": {
        "clientConfig": {"url": "http://a/"}, "conversionReviewVersions": ["v9"]}}),
     [("Invalid", "spec.conversion.webhookClientConfig.url"),
      ("Invalid", "spec.conversion.conversionReviewVersions")]),
]  # fmt: skip

# These cannot even be read.
UNREADABLE = [
    definition(version(subresources={"status": status})) for status in ("x", True, [], [1], 0)
]

"""CustomResourceDefinitions: what is wrong with them, and what comes of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from clientgen.testing.apiserver import custom
from clientgen.testing.apiserver.failures import Failure
from clientgen.testing.apiserver.schema import Schemas

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TEXT = {"type": "string"}
SPEC = {"type": "object", "properties": {"color": TEXT, "tags": {"type": "array", "items": TEXT}}}
SCHEMA = {"type": "object", "properties": {"spec": SPEC}}
AT = "spec.validation.openAPIV3Schema"
IN = f"{AT}.properties[spec]"


def version(name: str = "v1", **more: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": SCHEMA}
    return {"name": name, "served": True, "storage": name == "v1", "schema": schema, **more}


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    crd: dict[str, Any] = {
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": list(versions) or [version()],
            **spec,
        },
    }
    custom.default_definition(crd)
    stored = [each["name"] for each in crd["spec"]["versions"] if each.get("storage")][:1]
    crd["status"] = {"storedVersions": stored}
    return crd


def wrong(crd: dict[str, Any], old: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [
        (cause.reason.removeprefix("FieldValue"), cause.field)
        for cause in custom.validate_definition(crd, old)
    ]


def wrong_schema(schema: dict[str, Any]) -> list[tuple[str, str]]:
    whole = {"type": "object", "properties": {"spec": schema}}
    return wrong(definition(version(schema={"openAPIV3Schema": whole})))


def test_a_good_definition_gets_its_other_names() -> None:
    crd = definition()
    assert wrong(crd) == []
    assert crd["spec"]["names"]["listKind"] == "WidgetList"
    assert crd["spec"]["names"]["singular"] == "widget"
    assert crd["spec"]["conversion"] == {"strategy": "None"}


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
    ({"type": "array",
      "items": {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}},
     [("Invalid", f"{IN}.items.x-kubernetes-validations[0].rule")]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS_OF_SPEC)
def test_what_is_wrong_with_a_schema_is_told(
    schema: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong_schema(schema) == expected


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


@pytest.mark.parametrize(("schema", "expected"), ROOTS)
def test_what_is_wrong_with_the_root_is_told(
    schema: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong(definition(version(schema={"openAPIV3Schema": schema}))) == expected


SPECS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    (definition(scope="Everywhere"), [("NotSupported", "spec.scope")]),
    (definition(version("V1", storage=True)),
     [("Invalid", "spec.versions[0].name"), ("Invalid", "spec.version")]),
    (definition(version(), version("v2", storage=True)), [("Invalid", "spec.versions"),
     ("Invalid", "status.storedVersions")]),
    (definition(version(storage=False)), [("Invalid", "spec.versions"),
     ("Invalid", "status.storedVersions")]),
    (definition(version(), version("v1", storage=False)), [("Invalid", "spec.versions")]),
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


@pytest.mark.parametrize(("crd", "expected"), SPECS)
def test_what_is_wrong_with_a_definition_is_told(
    crd: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert wrong(crd) == expected


def test_versions_that_differ_are_told_apart() -> None:
    bad = {"openAPIV3Schema": {"type": "string"}}
    found = wrong(definition(version(), version("v2", schema=bad)))
    assert found == [("Invalid", "spec.versions[1].schema.openAPIV3Schema.type")]


def test_what_names_an_established_definition_stays() -> None:
    old = definition()
    old["status"] = custom.status_of(old, [], NOW)
    new = definition(scope="Cluster", names={"plural": "widgets", "kind": "Gadget"})
    assert wrong(new, old) == [("Invalid", "spec.scope"), ("Invalid", "spec.names.kind")]


def test_versions_that_were_stored_stay() -> None:
    crd = definition()
    crd["status"]["storedVersions"] = ["v0", "v1"]
    assert wrong(crd, definition()) == [("Invalid", "status.storedVersions[0]")]


def test_kubernetes_own_groups_need_approval() -> None:
    crd = definition(group="x.k8s.io")
    crd["metadata"]["name"] = "widgets.x.k8s.io"
    annotation = "api-approved.kubernetes.io"
    assert wrong(crd) == [("Required", f"metadata.annotations[{annotation}]")]
    crd["metadata"]["annotations"] = {annotation: "unapproved, an experiment"}
    assert wrong(crd) == []


def test_unknown_formats_are_warned_of_once() -> None:
    odd = {"type": "object", "properties": {"a": {**TEXT, "format": "odd"}}}
    crd = definition(version(schema={"openAPIV3Schema": odd}))
    assert custom.definition_warnings(crd, None) == ['unrecognized format "odd"']
    assert custom.definition_warnings(crd, crd) == []


# ------------------------------------------------------------------------------------- status


def conditions(status: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["type"]: (each["status"], each["reason"]) for each in status["conditions"]}


def test_free_names_are_accepted() -> None:
    status = custom.status_of(definition(), [], NOW)
    assert conditions(status) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert status["acceptedNames"]["listKind"] == "WidgetList"
    assert status["conditions"][0]["lastTransitionTime"] == "2026-01-02T03:04:05Z"


def test_taken_names_are_not_accepted() -> None:
    first = definition(names={"plural": "widgets", "kind": "Widget", "shortNames": ["w"]})
    first["status"] = custom.status_of(first, [], NOW)
    second = definition(names={"plural": "gadgets", "kind": "Widget", "shortNames": ["w"]})
    status = custom.status_of(second, [first], NOW)
    assert conditions(status)["NamesAccepted"] == ("False", "ListKindConflict")
    assert conditions(status)["Established"] == ("False", "NotAccepted")
    assert status["acceptedNames"] == {"kind": "", "plural": "gadgets"}


def test_a_status_that_holds_stays() -> None:
    crd = definition()
    crd["status"] = custom.status_of(crd, [], NOW)
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert custom.status_of(crd, [], later) == crd["status"]


# ----------------------------------------------------------------------------------- versions


def test_nothing_but_the_version_changes_in_a_conversion() -> None:
    found = custom.read(definition(version(), version("v1beta1", deprecated=True)), Schemas({}))
    assert found.storage_version.name == "v1"
    converted = found.convert({"apiVersion": "example.com/v1", "spec": {}}, found.versions[1])
    assert converted == {"apiVersion": "example.com/v1beta1", "spec": {}}


def test_webhooks_are_not_called() -> None:
    crd = definition(version(), version("v2"), conversion={"strategy": "Webhook"})
    found = custom.read(crd, Schemas({}))
    with pytest.raises(Failure, match="webhook"):
        found.convert({"apiVersion": "example.com/v1"}, found.versions[1])


def test_deprecated_versions_name_the_one_to_use() -> None:
    old = version("v1beta1", deprecated=True)
    found = custom.read(definition(old, version("v1alpha1"), version()), Schemas({}))
    assert found.versions[0].deprecation_warning == (
        "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"
    )
    assert found.versions[2].deprecation_warning == ""

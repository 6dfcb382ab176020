"""Copies of known types are recognised, and nothing else is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.inlined_types import (
    CORE,
    GOLDEN,
    META,
    definitions,
    inlined,
    manifests,
    silent,
    without,
)

from clientgen._gvk import GroupVersion
from clientgen._openapi.schema import Schema
from clientgen.generator.ir import Imported, Model, ModelId
from clientgen.generator.resolve.known_types import KnownTypes, Match
from clientgen.generator.sources.used_packages import meta_models, parse

GENERATED = Path(__file__).parents[2] / "generated"
CORE_V1, META_V1 = GroupVersion("", "v1"), GroupVersion("meta", "v1")
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@cache
def kubernetes() -> Imported:
    return parse(["kubeapi"], [GENERATED])


def models() -> tuple[Model, ...]:
    return (*meta_models(), *kubernetes().models)


def recognised(schema: dict[str, Any], name: str = "it", policy: str = "older") -> Match | None:
    return KnownTypes(models(), policy).recognise(Schema(schema), name)


def core(name: str, *missing: str) -> Match:
    return Match(ModelId(CORE_V1, name), missing)


def object_of(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    "name",
    ["PodTemplateSpec", "PodSpec", "Container", "ResourceRequirements", "EnvVar", "Affinity"],
)
@pytest.mark.parametrize("policy", ["equal", "older"])
def test_a_copy_is_the_type_it_was_made_of(name: str, policy: str) -> None:
    assert recognised(inlined(CORE + name), policy=policy) == core(name)


@pytest.mark.parametrize("name", ["Condition", "LabelSelector", "OwnerReference"])
def test_the_types_of_meta_need_no_package(name: str) -> None:
    match = KnownTypes(meta_models()).recognise(Schema(inlined(META + name)), "it")

    assert match == Match(ModelId(META_V1, name))


@pytest.mark.slow
def test_kubernetes_types_are_not_mistaken_for_each_other() -> None:
    known = KnownTypes(models())
    recursive = ("JSONSchemaProps", "CustomResource")
    flat = [
        name
        for name, schema in definitions().items()
        if "properties" in schema and not any(word in name for word in recursive)
    ]
    for name in flat:
        match = known.recognise(Schema(inlined(name)), "it")
        assert match is None or match.missing == ()
        assert match is None or match.model.name == name.rpartition(".")[2], name
    assert len(flat) > 600


def test_never_is_never() -> None:
    assert recognised(inlined(CORE + "PodTemplateSpec"), policy="never") is None


@pytest.mark.parametrize(
    "schema",
    [
        object_of(name=TEXT),
        object_of(name=TEXT, value=TEXT),
        object_of(("name", "value"), name=TEXT, value=TEXT),
        object_of(name=TEXT, namespace=TEXT),
        object_of(limits={"type": "object", "additionalProperties": TEXT}),
        object_of(kind=TEXT, name=TEXT, apiGroup=TEXT),
        {"type": "object", "properties": {}},
    ],
)
def test_small_shapes_mean_what_their_author_means(schema: dict[str, Any]) -> None:
    assert recognised(schema) is None


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        ("imagePullSecrets", object_of(name=TEXT), "LocalObjectReference"),
        ("tolerations", inlined(CORE + "Toleration"), "Toleration"),
        ("secretKeyRef", inlined(CORE + "SecretKeySelector"), "SecretKeySelector"),
        ("configMapKeyRef", inlined(CORE + "SecretKeySelector"), "ConfigMapKeySelector"),
        ("passwordSecret", inlined(CORE + "SecretKeySelector"), "SecretKeySelector"),
        ("envFrom", inlined(CORE + "EnvFromSource"), "EnvFromSource"),
    ],
)
def test_the_property_name_decides_between_equal_types(
    name: str, schema: dict[str, Any], expected: str
) -> None:
    assert recognised(schema, name) == core(expected)


def test_types_alike_stay_apart_without_a_word() -> None:
    assert recognised(inlined(CORE + "SecretKeySelector"), "credentials") is None


@pytest.mark.parametrize(
    ("thing", "expected"),
    [("ConfigMap", "ConfigMapKeySelector"), ("Secret", "SecretKeySelector")],
)
def test_the_description_decides_between_equal_types(thing: str, expected: str) -> None:
    schema = inlined(CORE + "SecretKeySelector")
    schema["properties"]["optional"]["description"] = f"Whether the {thing} may be absent."

    assert recognised(schema, "credentials") == core(expected)
    schema["properties"]["key"]["description"] = "Of a Secret or a ConfigMap."
    assert recognised(schema, "credentials") is None


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("rollingUpdate", "io.k8s.api.apps.v1.RollingUpdateDeployment"),
        ("requirements", CORE + "NodeSelectorRequirement"),
        ("nodePlacement", "io.k8s.api.node.v1.Scheduling"),
    ],
)
def test_an_ambiguous_schema_is_not_recognised(name: str, definition: str) -> None:
    assert recognised(inlined(definition), name) is None


def test_meta_comes_before_others() -> None:
    match = recognised(inlined(META + "LabelSelectorRequirement"), "matchExpressions")

    assert match == Match(ModelId(META_V1, "LabelSelectorRequirement"))


@pytest.mark.parametrize(
    "metadata",
    [
        {"type": "object"},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        object_of(
            name=TEXT,
            namespace=TEXT,
            labels={"type": "object", "additionalProperties": TEXT},
            annotations={"type": "object", "additionalProperties": TEXT},
            finalizers={"type": "array", "items": TEXT},
        ),
    ],
)
def test_metadata_inside_comes_in_several_forms(metadata: dict[str, Any]) -> None:
    schema = inlined(CORE + "PodTemplateSpec")
    schema["properties"]["metadata"] = metadata

    assert recognised(schema, policy="equal") == core("PodTemplateSpec")


@pytest.mark.parametrize(
    "quantity",
    [
        TEXT,
        {"x-kubernetes-int-or-string": True},
        {"anyOf": [NUMBER, TEXT], "pattern": "^[0-9]+$", "x-kubernetes-int-or-string": True},
    ],
)
def test_quantities_come_in_several_forms(quantity: dict[str, Any]) -> None:
    schema = inlined(CORE + "ResourceRequirements")
    for name in ("limits", "requests"):
        schema["properties"][name]["additionalProperties"] = quantity

    assert recognised(schema, policy="equal") == core("ResourceRequirements")


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("key", NUMBER),
        ("tolerationSeconds", TEXT),
        ("effect", {"type": "string", "format": "date-time"}),
        ("value", {"type": "array", "items": TEXT}),
        ("value", {"type": "object", "additionalProperties": TEXT}),
        ("value", object_of(name=TEXT)),
    ],
)
def test_another_type_makes_it_another_thing(path: str, instead: dict[str, Any]) -> None:
    schema = inlined(CORE + "Toleration")
    schema["properties"][path] = instead

    assert recognised(schema, "tolerations") is None


def test_a_field_more_is_never_lost() -> None:
    schema = inlined(CORE + "PodTemplateSpec")
    containers = schema["properties"]["spec"]["properties"]["containers"]
    containers["items"]["properties"]["ownField"] = TEXT

    assert recognised(schema) is None
    assert recognised(schema["properties"]["spec"]) is None


def test_required_properties_must_agree() -> None:
    schema = inlined(META + "Condition")
    schema["required"] = ["type", "status"]

    assert recognised(schema, "conditions") is None


def test_properties_with_defaults_are_not_required() -> None:
    schema = inlined(CORE + "ContainerPort")
    schema["properties"]["protocol"]["default"] = "TCP"
    schema["required"] = ["containerPort", "protocol"]

    assert recognised(schema, "ports") == core("ContainerPort")


def test_an_older_copy_is_told_with_what_it_lacks() -> None:
    paths = ("spec.hostUsers", "spec.containers.env.valueFrom.fileKeyRef")
    schema = without(inlined(CORE + "PodTemplateSpec"), *paths)

    assert recognised(schema) == core("PodTemplateSpec", *paths)
    assert recognised(schema, policy="equal") is None


def test_a_part_of_a_type_is_not_an_older_copy() -> None:
    names = ("image", "name", "command", "args", "env", "ports")
    schema = inlined(CORE + "Container")
    schema["properties"] = {name: schema["properties"][name] for name in names}

    assert recognised(schema, "container") is None


def test_an_older_copy_lacks_nothing_that_is_required() -> None:
    schema = without(inlined(META + "Condition"), "message")
    schema["required"].remove("message")

    assert recognised(schema, "conditions") is None


def test_an_older_copy_may_ask_for_more_inside() -> None:
    schema = inlined(CORE + "PodTemplateSpec")
    container = schema["properties"]["spec"]["properties"]["containers"]["items"]
    container["properties"]["resizePolicy"]["items"]["required"] = ["resourceName"]
    assert recognised(schema, "pod") is None
    container["properties"]["resizePolicy"]["items"]["required"] = ["resourceName", "restartPolicy"]
    container["required"] = ["name", "image"]

    assert recognised(schema, "pod") == core("PodTemplateSpec")
    assert recognised(schema, "pod", policy="equal") is None
    assert recognised(container, "container") is None


def test_resources_were_without_claims_once() -> None:
    schema = without(inlined(CORE + "ResourceRequirements"), "claims")

    assert recognised(schema, "resources") == core("ResourceRequirements", "claims")
    equal = recognised(schema, "resources", policy="equal")
    assert equal == core("VolumeResourceRequirements")


OPEN: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize("kind", [{}, {"type": "object"}])
def test_a_copy_may_leave_objects_open(kind: dict[str, Any]) -> None:
    schema = inlined(CORE + "Container")
    schema["properties"]["resources"] = object_of(limits={**kind, **OPEN}, requests=OPEN)
    schema["properties"]["lifecycle"] = {**kind, **OPEN}
    schema["properties"]["volumeMounts"] = OPEN

    assert recognised(schema, "container") == core("Container", "resources.claims")
    assert recognised(schema, "container", policy="equal") is None
    resources = schema["properties"]["resources"]
    assert recognised(resources, "resources") == core("ResourceRequirements", "claims")


@pytest.mark.parametrize(
    ("name", "kind"), [("image", {}), ("args", {}), ("volumeMounts", {"type": "object"})]
)
def test_a_text_or_a_list_of_texts_that_is_open_is_something_else(
    name: str, kind: dict[str, Any]
) -> None:
    schema = inlined(CORE + "Container")
    schema["properties"][name] = {**kind, **OPEN}

    assert recognised(schema, "container") is None


def test_templates_may_have_a_few_metadata() -> None:
    schema = inlined(CORE + "PodTemplateSpec")
    texts = {"type": "object", "additionalProperties": TEXT}
    schema["properties"]["metadata"] = object_of(labels=texts, annotations=texts, name=TEXT)
    missing = ("metadata.finalizers", "metadata.namespace")

    assert recognised(schema, "pod") == core("PodTemplateSpec", *missing)
    assert recognised(schema, "pod", policy="equal") is None
    assert recognised(schema["properties"]["metadata"], "metadata") is None
    schema["properties"]["metadata"]["properties"]["owner"] = TEXT
    assert recognised(schema, "pod") is None


def test_comparisons_are_repeated_after_forget() -> None:
    known = KnownTypes(models())
    schema = inlined(CORE + "Affinity")
    first = known.recognise(Schema(schema), "affinity")
    schema["properties"]["nodeAffinity"]["properties"]["more"] = TEXT
    known.forget()

    assert first == core("Affinity")
    assert known.recognise(Schema(schema), "affinity") is None


def test_the_manifests_of_the_golden_cases_are_what_the_script_writes() -> None:
    for path, text in manifests().items():
        assert (GOLDEN / path).read_text() == text


@pytest.mark.parametrize(
    "name", ["PodTemplateSpec", "Affinity", "Container", "TopologySpreadConstraint", "VolumeMount"]
)
def test_a_copy_of_a_writer_that_never_says_what_is_required_is_partial(name: str) -> None:
    schema = silent(inlined(CORE + name))

    assert recognised(schema) == Match(ModelId(CORE_V1, name), partial=True)
    assert recognised(schema, policy="equal") is None


def test_a_partial_copy_may_be_older() -> None:
    schema = silent(without(inlined(CORE + "PodTemplateSpec"), "spec.hostUsers"))

    expected = Match(ModelId(CORE_V1, "PodTemplateSpec"), ("spec.hostUsers",), partial=True)
    assert recognised(schema) == expected


def test_a_copy_that_requires_all_the_type_does_is_not_partial() -> None:
    assert recognised(silent(inlined(CORE + "Toleration")), "tolerations") == core("Toleration")


def test_a_schema_that_states_requirements_elsewhere_is_no_partial_copy() -> None:
    """Argo's containers need no name: what is in them still says what it requires."""
    container = inlined(CORE + "Container")
    del container["required"]

    assert recognised(container) is None


@pytest.mark.parametrize(
    ("definition", "name"),
    [
        (CORE + "HTTPHeader", "it"),
        (CORE + "HTTPHeader", "httpHeaders"),
        (CORE + "HostAlias", "hostAliases"),
        (CORE + "PreferredSchedulingTerm", "preferences"),
        (META + "Condition", "conditions"),
    ],
)
def test_small_or_status_schemas_are_no_partial_copies(definition: str, name: str) -> None:
    schema = silent(inlined(definition))
    if definition.endswith("PreferredSchedulingTerm"):
        schema["properties"]["preference"] = {"type": "object"}

    assert recognised(schema, name) is None


def test_an_additional_property_rules_out_a_partial_copy() -> None:
    schema = silent(inlined(CORE + "Affinity"))
    schema["properties"]["hostAffinity"] = TEXT

    assert recognised(schema, "affinity") is None

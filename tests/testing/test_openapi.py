"""The OpenAPI documents: what the spec says, and what custom resources add."""

import tracemalloc
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from msgspec import json

from clientgen._gvk import GroupVersionKind
from clientgen._openapi import protobuf
from clientgen._shipped import KUBERNETES
from clientgen.testing._apiserver.documents import Documents
from clientgen.testing._apiserver.served_resources import Resource, Subresource
from clientgen.testing._apiserver.served_spec import SCALE, load, read

GVK = "x-kubernetes-group-version-kind"
ACTION = "x-kubernetes-action"
COLLECTION = "/apis/stable.example.com/v1/namespaces/{namespace}/widgets"
WIDGET = "com.example.stable.v1.Widget"
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
LEASES = "/openapi/v3/apis/coordination.k8s.io/v1"
EITHER = [{"type": "integer"}, {"type": "string"}]
PRESERVES = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"


@dataclass
class Served:
    """A registry with nothing but custom resources."""

    strategies: list = field(default_factory=list)
    revision: int = 1

    def custom_strategies(self):
        return iter(self.strategies)


class Noon:
    def now(self):
        return datetime(2026, 1, 1, 12, tzinfo=UTC)

    def monotonic(self):
        return 0.0


def custom(schema, *, group="stable.example.com", namespaced=True, selectable=(), list_kind=""):
    kind = GroupVersionKind(group, "v1", "Widget")
    parts = {"status": kind, "scale": SCALE}
    every = "create delete deletecollection get list patch update watch"
    resource = Resource(
        group=group,
        version="v1",
        plural="widgets",
        kind="Widget",
        namespaced=namespaced,
        verbs=frozenset(every.split()),
        singular="widget",
        subresources={
            name: Subresource(name, each, ("get", "patch", "update"))
            for name, each in parts.items()
        },
        list_kind=list_kind or "WidgetList",
    )
    return SimpleNamespace(
        resource=resource,
        version=SimpleNamespace(read_openapi=lambda: schema, selectable_fields=tuple(selectable)),
        definition=SimpleNamespace(storage_version=SimpleNamespace(name="v1"), is_ending=False),
    )


def spec_of(**properties):
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def documents(*resources):
    return Documents(load(), Served(list(resources)), Noon())


def ask(path, *resources, method="GET", query=None, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return documents(*resources).answer(method, path, query or {}, named)


def v2(*resources):
    return json.decode(ask("/openapi/v2", *resources).body)


def v3(key, *resources):
    return json.decode(ask(f"/openapi/v3/{key}", *resources).body)


def custom_v3(*resources):
    return v3("apis/stable.example.com/v1", *resources)


def header(answer, name):
    return dict(answer.headers).get(name)


# ------------------------------------------------------------------------------------- v2


def test_the_v2_document_is_that_of_the_spec_when_there_is_nothing_else():
    assert v2() == load().document


def test_definitions_are_named_by_the_reversed_group():
    definitions = v2(custom(spec_of(), list_kind="WidgetCrowd"))["definitions"]
    assert definitions[WIDGET][GVK] == [
        {"group": "stable.example.com", "kind": "Widget", "version": "v1"}
    ]
    crowd = definitions["com.example.stable.v1.WidgetCrowd"]
    assert crowd["required"] == ["items"]
    assert crowd["properties"]["items"]["items"] == {"$ref": f"#/definitions/{WIDGET}"}


def test_objects_have_api_version_kind_and_metadata_whatever_the_definition_says():
    schema = {"type": "object", "properties": {"metadata": {"type": "object"}}}
    properties = v2(custom(schema))["definitions"][WIDGET]["properties"]
    assert set(properties) == {"apiVersion", "kind", "metadata"}
    assert properties["metadata"]["$ref"] == f"#/definitions/{OBJECT_META}"


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ({"type": "string", "default": "a", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "nullable": True, "maxLength": 3}, {"maxLength": 3}),
        (
            {"type": "object", "nullable": True, "properties": {"a": {}}, "required": ["a"]},
            {"required": ["a"]},
        ),
        ({"type": "array", "nullable": True, "items": {"type": "string"}}, {}),
        (
            {"type": "object", "nullable": True, "additionalProperties": {"type": "string"}},
            {"additionalProperties": {"type": "string"}},
        ),
        ({INT_OR_STRING: True, "anyOf": EITHER}, {INT_OR_STRING: True}),
        ({"type": "object", PRESERVES: True, "properties": {"a": {}}}, {PRESERVES: True}),
        ({"type": "object", EMBEDDED: True, PRESERVES: True}, {EMBEDDED: True, PRESERVES: True}),
        ({"type": "integer", "allOf": [{"minimum": 1}], "not": {"enum": [2]}}, {"type": "integer"}),
        (
            {"type": "array", "items": {"type": "object", "properties": {"a": {"default": 1}}}},
            {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
        ),
    ],
)
def test_v2_leaves_out_what_it_cannot_say(declared, shown):
    definition = v2(custom(spec_of(it=declared)))["definitions"][WIDGET]
    assert definition["properties"]["spec"]["properties"]["it"] == shown


def test_v2_says_nothing_of_objects_that_keep_everything():
    definition = v2(custom(spec_of() | {PRESERVES: True}))["definitions"][WIDGET]
    assert set(definition) == {"type", GVK}


def test_selectable_fields_stand_with_the_kind_and_its_list():
    definitions = v2(custom(spec_of(), selectable=["spec.color"]))["definitions"]
    for name in WIDGET, f"{WIDGET}List":
        assert definitions[name]["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.color"}]


def test_custom_resources_have_paths_with_operations():
    paths = v2(custom(spec_of()))["paths"]
    operations = {
        operation["operationId"]: operation[ACTION]
        for path, item in paths.items()
        if "/stable.example.com/" in path
        for operation in item.values()
        if isinstance(operation, dict)
    }
    assert operations == {
        "listStableExampleComV1WidgetForAllNamespaces": "list",
        "listStableExampleComV1NamespacedWidget": "list",
        "createStableExampleComV1NamespacedWidget": "post",
        "deleteStableExampleComV1CollectionNamespacedWidget": "deletecollection",
        "readStableExampleComV1NamespacedWidget": "get",
        "replaceStableExampleComV1NamespacedWidget": "put",
        "deleteStableExampleComV1NamespacedWidget": "delete",
        "patchStableExampleComV1NamespacedWidget": "patch",
        "readStableExampleComV1NamespacedWidgetStatus": "get",
        "replaceStableExampleComV1NamespacedWidgetStatus": "put",
        "patchStableExampleComV1NamespacedWidgetStatus": "patch",
        "readStableExampleComV1NamespacedWidgetScale": "get",
        "replaceStableExampleComV1NamespacedWidgetScale": "put",
        "patchStableExampleComV1NamespacedWidgetScale": "patch",
    }


def test_cluster_scoped_resources_have_no_namespaces_in_their_paths():
    paths = v2(custom(spec_of(), namespaced=False))["paths"]
    root = "/apis/stable.example.com/v1/widgets"
    mine = {path for path in paths if "/stable.example.com/" in path}
    assert mine == {root, *(f"{root}/{{name}}{part}" for part in ("", "/status", "/scale"))}
    assert paths[root]["get"]["operationId"] == "listStableExampleComV1Widget"


def test_kubernetes_own_suffix_and_dashes_do_not_show_in_operations():
    paths = v2(custom(spec_of(), group="cert-manager.k8s.io", namespaced=False))["paths"]
    operation = paths["/apis/cert-manager.k8s.io/v1/widgets"]["get"]
    assert operation["operationId"] == "listCertManagerV1Widget"
    assert operation["tags"] == ["certManager_v1"]


def test_custom_resources_are_not_patched_strategically():
    patch = v2(custom(spec_of()))["paths"][f"{COLLECTION}/{{name}}"]["patch"]
    assert patch["consumes"] == [
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/apply-patch+yaml",
    ]
    queried = {each["name"] for each in patch["parameters"] if each["in"] == "query"}
    assert queried == {"dryRun", "fieldManager", "fieldValidation", "force"}


def test_a_server_reads_back_the_document_it_publishes():
    served = custom(spec_of())
    widgets = served.resource
    spec = read(v2(served))
    (resource,) = [each for each in spec.resources if each.group == widgets.group]
    assert resource.verbs == widgets.verbs
    assert resource.subresources == widgets.subresources
    assert resource.list_kind == widgets.list_kind


# ----------------------------------------------------------------------------- v2 in protobuf


def fields(message):
    """The fields of a protobuf message that holds nothing but texts and other messages."""

    def number():
        value = shift = 0
        while True:
            byte = next(data)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    data = iter(message)
    while (first := next(data, None)) is not None:
        data = iter([first, *data])
        key = number()
        assert key & 7 == 2
        yield key >> 3, bytes(next(data) for _ in range(number()))


def dig(message, *numbers):
    for wanted in numbers:
        message = next(value for number, value in fields(message) if number == wanted)
    return message


@pytest.mark.parametrize("sign", ["@", "."])
def test_the_v2_document_comes_in_protobuf_too(sign):
    accept = f"application/com.github.proto-openapi.spec.v2{sign}v1.0+protobuf"
    answer = ask("/openapi/v2", accept=accept)
    assert header(answer, "content-type") == protobuf.MEDIA_TYPE
    start = b"\n\x032.0\x12\x12\n\nKubernetes\x12\x04" + KUBERNETES.encode()
    assert answer.body.startswith(start)
    tag = header(answer, "etag")
    assert ask("/openapi/v2", accept=accept, if_none_match=tag).status == 304


def test_protobuf_holds_definitions_paths_and_free_values():
    message = protobuf.encode(
        {
            "swagger": "2.0",
            "definitions": {
                "A": {
                    "type": "object",
                    "properties": {"b": {"$ref": "#/definitions/B"}},
                    "x-kubernetes-map-type": "atomic",
                }
            },
            "paths": {"/a": {"get": {"operationId": "readA", "parameters": [{"$ref": "#/p"}]}}},
        }
    )
    definition = dig(message, 9, 1)
    assert dig(definition, 1) == b"A"
    schema = dig(definition, 2)
    assert dig(schema, 22, 1) == b"object"
    assert dig(schema, 25, 1, 2, 1) == b"#/definitions/B"
    assert dig(schema, 31, 1) == b"x-kubernetes-map-type"
    assert dig(schema, 31, 2, 2) == b'"atomic"'
    path = dig(message, 8, 2)
    assert dig(path, 1) == b"/a"
    assert dig(path, 2, 2, 5) == b"readA"
    assert dig(path, 2, 2, 8, 2, 1) == b"#/p"


def test_numbers_of_any_size_are_written():
    def schema(**values):
        return dig(protobuf.encode({"definitions": {"A": values}}), 9, 1, 2)

    assert schema(maxLength=300) == b"\x58\xac\x02"
    assert schema(minimum=0.5) == b"\x49" + bytes(6) + b"\xe0\x3f"
    assert schema(uniqueItems=True) == b"\x80\x01\x01"
    assert schema(additionalProperties=True) == b"\xaa\x01\x02\x10\x01"


# ------------------------------------------------------------------------------- v3 in general


def test_the_index_leads_to_documents_that_may_be_kept():
    index = ask("/openapi/v3")
    assert header(index, "content-type") == "text/plain; charset=utf-8"
    entry = json.decode(index.body)["paths"]["apis/coordination.k8s.io/v1"]
    path, _, hash_ = entry["serverRelativeURL"].partition("?hash=")
    assert path == LEASES
    answer = ask(path, query={"hash": [hash_]})
    assert header(answer, "etag") == f'"{hash_}"'
    assert header(answer, "cache-control") == "public, immutable"
    assert header(answer, "expires") == "Fri, 01 Jan 2027 12:00:00 GMT"
    assert json.decode(answer.body)["openapi"] == "3.0.0"


def test_the_index_has_group_versions_groups_and_what_else_there_is():
    keys = set(json.decode(ask("/openapi/v3", custom(spec_of())).body)["paths"])
    assert {"api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version"} <= keys
    assert "apis/stable.example.com/v1" in keys
    assert "apis/stable.example.com" not in keys


def test_a_request_with_another_hash_is_redirected():
    answer = ask(LEASES, query={"hash": ["ABC"]})
    assert answer.status == 301
    tag = header(answer, "etag").strip('"')
    assert header(answer, "location") == f"{LEASES}?hash={tag}"


@pytest.mark.parametrize("path", ["/openapi/v2", LEASES])
def test_documents_are_not_sent_twice(path):
    tag = header(ask(path), "etag")
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        assert ask(path, if_none_match=known).status == 304
    assert ask(path, if_none_match='"other"').status == 200
    assert ask(path, method="POST", if_none_match=tag).status == 412


@pytest.mark.parametrize("path", ["/openapi/v2", LEASES])
@pytest.mark.parametrize("accept", ["text/html", "application/vnd.kubernetes.protobuf"])
def test_other_forms_are_not_acceptable(path, accept):
    answer = ask(path, accept=accept)
    assert (answer.status, answer.body) == (406, b"")
    assert ask(path, accept=f"{accept}, */*").status == 200


@pytest.mark.parametrize(
    "path", ["/openapi/v3/apis/nothing.example.com/v1", "/openapi/v3/api/v1/pods", "/openapi/v3/"]
)
def test_other_documents_do_not_exist(path):
    assert (ask(path).status, ask(path).body) == (404, b"")


@pytest.mark.parametrize("path", ["/openapi", "/openapi/v2/", "/openapi/v4", "/swagger.json"])
def test_other_paths_are_nobodys(path):
    assert ask(path) is None


def test_documents_change_with_the_custom_resources_and_only_then():
    served = Served()
    documents = Documents(load(), served)

    def tags():
        paths = "/openapi/v2", LEASES
        return [header(documents.answer("GET", path, {}, {}), "etag") for path in paths]

    before = tags()
    assert tags() == before
    served.strategies.append(custom(spec_of()))
    served.revision += 1
    after = tags()
    assert after[0] != before[0]
    assert after[1] == before[1]
    served.strategies.clear()
    served.revision += 1
    assert tags() == before


@pytest.mark.slow
def test_documents_of_many_definitions_take_little_memory_after_they_were_read():
    fields = {f"field{at}": {"type": "string", "description": "Some words."} for at in range(300)}
    packed = json.encode(spec_of(**fields))
    many = []
    for at in range(60):
        widget = custom({}, group=f"g{at}.example.com")
        widget.version.read_openapi = lambda: json.decode(packed)
        many.append(widget)
    served = documents(*many)
    groups = [f"/openapi/v3/apis/g{at}.example.com/v1" for at in range(60)]
    for path in ("/openapi/v2", "/openapi/v3", groups[0]):  # what all servers have
        documents().answer("GET", path, {}, {})
    tracemalloc.start()
    try:
        for media in ("application/json", protobuf.MEDIA_TYPE):
            assert served.answer("GET", "/openapi/v2", {}, {"accept": media}).status == 200
        for path in ("/openapi/v3", *groups):
            assert served.answer("GET", path, {}, {}).status == 200
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / len(many) < 60_000


# ------------------------------------------------------------------------------- v3 of built-ins


def test_a_document_holds_the_schemas_it_needs_and_no_others():
    schemas = v3("apis/coordination.k8s.io/v1")["components"]["schemas"]
    text = json.encode(schemas).decode()
    assert "io.k8s.api.coordination.v1.Lease" in schemas
    assert "io.k8s.api.core.v1.Pod" not in schemas
    assert f"#/components/schemas/{OBJECT_META}" in text
    assert "#/definitions/" not in text


def test_references_of_properties_are_wrapped_and_those_of_items_are_not():
    schemas = v3("api/v1")["components"]["schemas"]
    pod = schemas["io.k8s.api.core.v1.Pod"]["properties"]
    assert pod["metadata"]["allOf"] == [{"$ref": f"#/components/schemas/{OBJECT_META}"}]
    containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    assert containers["items"] == {"$ref": "#/components/schemas/io.k8s.api.core.v1.Container"}
    assert containers["x-kubernetes-patch-merge-key"] == "name"


def test_quantities_and_ports_say_what_they_may_be():
    schemas = v3("api/v1")["components"]["schemas"]
    quantity = schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"]
    assert quantity == {"oneOf": [{"type": "string"}, {"type": "number"}]}
    port = schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]
    assert port == {"format": "int-or-string", "oneOf": EITHER}


def test_a_property_called_ref_is_no_reference():
    schemas = v3("apis/apiextensions.k8s.io/v1")["components"]["schemas"]
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    assert schemas[name]["properties"]["$ref"]["type"] == "string"


def test_operations_have_bodies_and_contents():
    item = v3("api/v1")["paths"]["/api/v1/namespaces/{namespace}/configmaps/{name}"]
    patch = item["patch"]
    assert set(patch["requestBody"]["content"]) == {
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    }
    assert patch["requestBody"]["required"] is True
    assert "force" in {each["name"] for each in patch["parameters"]}
    assert set(item["put"]["requestBody"]["content"]) == {"*/*"}
    assert "application/vnd.kubernetes.protobuf" in item["get"]["responses"]["200"]["content"]
    assert item["get"][ACTION] == "get"
    assert {
        "name": "namespace",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "uniqueItems": True},
    } in item["parameters"]


def test_discovery_has_documents_of_its_own():
    assert list(v3("apis/apps")["paths"]) == ["/apis/apps/"]
    assert "securitySchemes" in v3("apis/apps")["components"]


# ------------------------------------------------------------------------------- v3 of customs


@pytest.mark.parametrize(
    "declared",
    [
        {"type": "string", "default": "a", "nullable": True},
        {"type": "object", PRESERVES: True, "properties": {"a": {"type": "string"}}},
        {"type": "integer", "allOf": [{"minimum": 1}], "not": {"enum": [2]}},
        {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
        {INT_OR_STRING: True, "allOf": [{"anyOf": EITHER}, {"pattern": "^x"}]},
    ],
)
def test_v3_says_all_that_the_definition_says(declared):
    schema = custom_v3(custom(spec_of(it=declared)))["components"]["schemas"][WIDGET]
    assert schema["properties"]["spec"]["properties"]["it"] == declared


def test_v3_spells_out_what_an_integer_or_string_may_be():
    schema = custom_v3(custom(spec_of(it={INT_OR_STRING: True})))["components"]["schemas"][WIDGET]
    shown = schema["properties"]["spec"]["properties"]["it"]
    assert shown == {INT_OR_STRING: True, "anyOf": EITHER}


def test_embedded_objects_have_what_all_objects_have():
    declared = {"type": "object", EMBEDDED: True, "required": ["kind"], PRESERVES: True}
    schema = custom_v3(custom(spec_of(it=declared)))["components"]["schemas"][WIDGET]
    shown = schema["properties"]["spec"]["properties"]["it"]
    assert shown["required"] == ["kind", "apiVersion"]
    assert set(shown["properties"]) == {"apiVersion", "kind", "metadata"}


def test_documents_of_custom_resources_hold_what_they_refer_to():
    document = custom_v3(custom(spec_of()))
    assert document["info"] == {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
    schemas = document["components"]["schemas"]
    assert {WIDGET, f"{WIDGET}List", OBJECT_META, "io.k8s.api.autoscaling.v1.Scale"} <= set(schemas)
    assert schemas[WIDGET]["properties"]["metadata"]["allOf"] == [
        {"$ref": f"#/components/schemas/{OBJECT_META}"}
    ]
    content = document["paths"][COLLECTION]["post"]["requestBody"]["content"]
    assert set(content) == {"application/json", "application/yaml"}

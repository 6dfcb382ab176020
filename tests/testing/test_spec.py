"""Documents are read into the resources that a server of theirs would serve."""

import json

import pytest
from support.kubernetes import resources

from clientgen._gvk import GroupVersionKind
from clientgen._shipped import KUBERNETES
from clientgen.testing._apiserver.discovery_facts import storage_version_hash
from clientgen.testing._apiserver.kinds.kind_codecs import Codec
from clientgen.testing._apiserver.served_spec import SCALE, SpecError, load, read
from clientgen.testing._apiserver.server import ApiServer


def resource(plural, group="", version="v1"):
    wanted = (group, version, plural)
    return next(r for r in load().resources if (r.group, r.version, r.plural) == wanted)


def operation(action, kind="Widget", answer="com.example.v1.WidgetList"):
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {
            "group": "example.com",
            "version": "v1",
            "kind": kind,
        },
        "responses": {"200": {"schema": {"$ref": f"#/definitions/{answer}"}}},
    }


def pulled():
    """What a live server says of a custom resource with a scale."""
    gvk = {"group": "example.com", "version": "v1"}
    extension = "x-kubernetes-group-version-kind"
    everywhere = "/apis/example.com/v1/widgets"
    collection = "/apis/example.com/v1/namespaces/{namespace}/widgets"
    return {
        "swagger": "2.0",
        "info": {"version": "1.36"},
        "definitions": {
            "com.example.v1.Widget": {
                "type": "object",
                extension: [{**gvk, "kind": "Widget"}],
            },
            "com.example.v1.WidgetList": {extension: [{**gvk, "kind": "Widgets"}]},
        },
        "paths": {
            "/apis/example.com/v1/": {"get": {"operationId": "getResources"}},
            everywhere: {"get": operation("list"), "parameters": []},
            collection: {
                "get": operation("list"),
                "post": operation("post"),
                "delete": operation("deletecollection"),
            },
            collection + "/{name}": {"get": operation("get")},
            collection + "/{name}/scale": {"get": operation("get"), "put": operation("put")},
        },
    }


def test_the_committed_spec_holds_every_built_in_resource():
    assert len(load().resources) == len(resources()) > 80
    assert load().version == KUBERNETES
    assert load() is load()


def test_a_namespaced_resource_has_its_names_verbs_and_schema():
    pods = resource("pods")
    assert (pods.kind, pods.list_kind, pods.singular) == ("Pod", "PodList", "pod")
    assert pods.namespaced
    assert pods.short_names == ("po",)
    assert pods.categories == ("all",)
    assert pods.schema.name == "io.k8s.api.core.v1.Pod"
    every = "create delete deletecollection get list patch update watch"
    assert pods.verbs == frozenset(every.split())


def test_namespaces_are_cluster_scoped_and_their_subresources_are_theirs():
    namespaces = resource("namespaces")
    assert not namespaces.namespaced
    assert "deletecollection" not in namespaces.verbs
    assert {name: sub.verbs for name, sub in namespaces.subresources.items()} == {
        "finalize": ("update",),
        "status": ("get", "patch", "update"),
    }


@pytest.mark.parametrize(
    ("plural", "subresource", "kind", "verbs"),
    [
        ("pods", "exec", "v1/PodExecOptions", "create get"),
        ("pods", "log", "v1/Pod", "get"),
        ("pods", "eviction", "policy/v1/Eviction", "create"),
        ("pods", "binding", "v1/Binding", "create"),
        ("nodes", "proxy", "v1/NodeProxyOptions", "create delete get patch update"),
        ("serviceaccounts", "token", "authentication.k8s.io/v1/TokenRequest", "create"),
        ("replicationcontrollers", "scale", "autoscaling/v1/Scale", "get patch update"),
    ],
)
def test_subresources_have_kinds_and_verbs_of_their_own(plural, subresource, kind, verbs):
    part = resource(plural).subresources[subresource]
    assert (str(part.kind), " ".join(part.verbs)) == (kind, verbs)


def test_resources_that_are_never_stored_have_no_watch():
    assert resource("componentstatuses").verbs == {"get", "list"}
    assert resource("bindings").verbs == {"create"}


def test_custom_resources_of_a_pulled_document_are_ordinary_resources():
    spec = read(pulled())
    (widgets,) = spec.resources
    assert (widgets.group, widgets.version, widgets.plural) == ("example.com", "v1", "widgets")
    assert widgets.list_kind == "Widgets"
    assert widgets.verbs == {"create", "deletecollection", "get", "list", "watch"}
    assert type(ApiServer(spec).cluster.registry.strategy_of(widgets).codec) is Codec
    assert widgets.schema.name == "com.example.v1.Widget"


def test_the_scale_of_a_custom_resource_is_a_scale_though_its_operations_say_otherwise():
    (widgets,) = read(pulled()).resources
    assert widgets.subresources["scale"].kind == SCALE


def test_a_kind_without_definition_has_a_schema_that_says_nothing():
    document = pulled()
    document["definitions"] = {}
    spec = read(document)
    (widgets,) = spec.resources
    assert widgets.schema.type == ""
    assert widgets.list_kind == "WidgetList"
    assert spec.schema(GroupVersionKind("example.com", "v1", "Nothing")).type == ""


def test_schemas_are_found_by_kind():
    assert load().schema(SCALE).name == "io.k8s.api.autoscaling.v1.Scale"


def test_the_storage_version_hash_is_that_of_group_version_and_kind():
    assert storage_version_hash("", "v1", "Pod") == "xPOwRZ+Yhw8="


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON: .* OpenAPI v2 document on /openapi/v2"),
        ('{"a":', "is not JSON"),
        ("[]", "is not an OpenAPI v2 document: it is no JSON object"),
        ("{}", 'does not say "swagger": "2.0"'),
        ('{"openapi": "3.0.0"}', "is an OpenAPI 3.0.0 document; OpenAPI v2 is read here"),
        (
            '{"swagger": "2.0", "paths": []}',
            r"cannot be understood: Expected `object`, got `array` - at `\$.paths`",
        ),
        (
            '{"swagger": "2.0", "paths": {"/api": 1}}',
            "cannot be understood: path /api: Expected `object`",
        ),
        (
            '{"swagger": "2.0", "definitions": {"a": 1}}',
            "cannot be understood: definition a: Expected `object`",
        ),
    ],
)
def test_bad_documents_are_refused_with_the_file_the_fault_and_the_remedy(tmp_path, text, message):
    path = tmp_path / "spec.json"
    path.write_text(text)
    with pytest.raises(SpecError, match=f"^{path}: .*{message}"):
        load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        load(tmp_path / "nowhere.json")


def test_kinds_that_are_no_kinds_are_refused(tmp_path):
    document = pulled()
    item = document["paths"]["/apis/example.com/v1/widgets"]
    item["get"]["x-kubernetes-group-version-kind"] = {"kind": "Widget"}
    with pytest.raises(
        SpecError, match=r"path /apis/example.com/v1/widgets: .* missing required field `group`"
    ):
        read(json.loads(json.dumps(document)))

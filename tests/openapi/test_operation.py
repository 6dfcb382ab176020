"""Paths are read as operations in the same way for v2 and v3."""

import pytest

from clientgen._openapi import v2, v3

PODS = "/api/v1/namespaces/{namespace}/pods"
GVK = {"group": "", "version": "v1", "kind": "Pod"}


def call(action, **more):
    return {"x-kubernetes-action": action, "x-kubernetes-group-version-kind": GVK, **more}


def document_v2(paths, **more):
    return v2.read({"paths": paths, **more}, "spec")


def test_paths_say_what_is_served():
    document = document_v2(
        {
            PODS: {"get": call("list"), "x-internal": 1},
            f"{PODS}/{{name}}/proxy/{{path}}": {"post": call("connect")},
            "/apis/apps/v1/deployments": {"get": call("list")},
            "/apis/apps/v1/watch/deployments": {"get": call("watchlist")},
            "/version": {"get": {}},
        }
    )
    shown = [
        (o.action, str(o.group_version), o.plural, o.subresource, o.namespaced, o.watchable)
        for o in document.operations
    ]
    assert shown == [
        ("list", "v1", "pods", "", True, False),
        ("connect", "v1", "pods", "proxy/{path}", True, False),
        ("list", "apps/v1", "deployments", "", False, True),
    ]
    place = "spec#/paths/~1api~1v1~1namespaces~1{namespace}~1pods/get"
    assert document.operations[0].where == place
    assert [what for what, _ in document.ignored] == [
        "GET /apis/apps/v1/watch/deployments",
        "GET /version",
    ]


def test_bodies_and_answers_of_v2_may_stand_behind_references():
    (operation,) = document_v2(
        {
            PODS: {
                "post": call(
                    "post",
                    parameters=[{"$ref": "#/parameters/pod"}],
                    responses={"201": {"$ref": "#/responses/pod"}},
                    consumes=["application/json"],
                )
            }
        },
        parameters={"pod": {"in": "body", "schema": {"$ref": "#/definitions/Pod"}}},
        responses={"pod": {"schema": {"$ref": "#/definitions/Pod"}}},
    ).operations
    assert operation.body is not None
    assert operation.response is not None
    assert operation.body.reference == operation.response.reference == "Pod"
    assert operation.consumes == ("application/json",)


def test_bodies_and_answers_of_v3_are_those_of_json():
    json = {"schema": {"$ref": "#/components/schemas/Pod"}}
    content = {"application/yaml": {"schema": {}}, "application/json": json}
    (operation,) = v3.read(
        {
            "paths": {
                PODS: {
                    "post": call(
                        "post",
                        requestBody={"content": content},
                        responses={"200": {}, "202": {"content": content}},
                    )
                }
            }
        },
        "spec",
    ).operations
    assert operation.body is not None
    assert operation.response is not None
    assert operation.body.reference == operation.response.reference == "Pod"
    assert operation.consumes == ("application/json", "application/yaml")


@pytest.mark.parametrize("target", ["#/parameters/a", "#/parameters/nowhere", "elsewhere.json#/x"])
def test_a_parameter_that_leads_nowhere_is_none(target):
    (operation,) = document_v2(
        {PODS: {"post": call("post", parameters=[{"$ref": "#/parameters/a"}, 1])}},
        parameters={"a": {"$ref": target, "in": "body", "schema": {}}},
    ).operations
    assert operation.body is None


def test_a_long_chain_of_parameters_is_followed_to_its_end():
    chain = {f"{n}": {"$ref": f"#/parameters/{n + 1}"} for n in range(20_000)}
    (operation,) = document_v2(
        {PODS: {"post": call("post", parameters=[{"$ref": "#/parameters/0"}])}},
        parameters={**chain, "20000": {"in": "body", "schema": {"type": "object"}}},
    ).operations
    assert operation.body is not None
    assert operation.body.type == "object"

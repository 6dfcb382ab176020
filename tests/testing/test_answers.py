"""How answers end, and what the server says of itself beside its resources."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import LocalServer
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.fake_clock import FakeClock

NAMESPACES = "/api/v1/namespaces"
MAPS = f"{NAMESPACES}/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


@pytest.fixture(scope="module")
def server() -> ApiServer:
    return ApiServer(clock=FakeClock())


def ask(
    server: ApiServer, method: str, target: str, body: Any = None, accept: str = "application/json"
) -> Response:
    data = None if body is None else json.dumps(body).encode()
    headers = (("content-type", "application/json"), ("accept", accept))
    answer = server.handle(HttpRequest(method, target, headers, data))
    assert isinstance(answer, Response)
    return answer


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", f"{NAMESPACES}/default", None),
        ("GET", NAMESPACES, None),
        ("GET", f"{NAMESPACES}/missing", None),
        ("GET", "/apis/apps/v1/missing", None),
        ("GET", "/api", None),
        ("POST", MAPS, {"metadata": {"generateName": "a-"}}),
        ("POST", MAPS, {"metadata": {"name": "A"}}),
        ("DELETE", f"{NAMESPACES}/default/configmaps", None),
    ],
)
def test_json_ends_in_a_newline(server: ApiServer, method: str, target: str, body: Any) -> None:
    answer = ask(server, method, target, body)
    assert answer.body.endswith(b"}\n")
    assert answer.body.count(b"\n") == 1


def test_tables_end_with_a_newline_and_indented_json_does_not(server: ApiServer) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    assert ask(server, "GET", NAMESPACES, accept=table).body.endswith(b"}\n")
    pretty = ask(server, "GET", NAMESPACES, accept="application/json;pretty=1")
    assert pretty.body.endswith(b"\n}")


def test_clients_read_them_all_the_same() -> None:
    with LocalServer() as served, Clientset.from_config(served.kubeconfig) as k:
        assert k.core_v1.namespaces().get("default").metadata.name == "default"


async def test_asynchronous_ones_too() -> None:
    with LocalServer() as served:
        async with AsyncClientset.from_config(served.kubeconfig) as k:
            assert (await k.core_v1.namespaces().get("default")).metadata.name == "default"


@pytest.mark.parametrize("target", [NAMESPACES, "/api", "/apis", "/apis/apps/v1"])
def test_protobuf_is_not_said_to_be_there(server: ApiServer, target: str) -> None:
    answer = ask(server, "GET", target, accept=PROTOBUF)
    status = json.loads(answer.body)
    assert (answer.status, status["reason"]) == (406, "NotAcceptable")
    assert "application/json" in status["message"]
    assert PROTOBUF not in status["message"]
    either = ask(server, "GET", target, accept=f"{PROTOBUF},application/json")
    assert either.status == 200


@pytest.mark.parametrize(
    "accept",
    [
        "application/json;as=Nope;v=v1;g=meta.k8s.io",
        "application/json;as=Table;v=v9;g=meta.k8s.io",
        "application/json;v=v2",
        "application/json;stream=watch",
    ],
)
def test_parameters_that_do_not_fit_are_not_acceptable(server: ApiServer, accept: str) -> None:
    answer = ask(server, "GET", NAMESPACES, accept=accept)
    status = json.loads(answer.body)
    assert (answer.status, status["reason"]) == (406, "NotAcceptable")
    assert status["message"].startswith("only the following media types are accepted:")
    assert "details" not in status
    either = ask(server, "GET", NAMESPACES, accept=f"{accept},application/json")
    assert either.status == 200


def test_answers_are_not_to_be_kept(server: ApiServer) -> None:
    for target in (NAMESPACES, f"{NAMESPACES}/none", "/nowhere", "/apis"):
        headers = dict(ask(server, "GET", target).headers)
        assert headers["cache-control"] == "no-cache, private"


def test_metrics_say_what_is_stored(server: ApiServer) -> None:
    answer = ask(server, "GET", "/metrics", accept="text/plain")
    assert answer.status == 200
    assert dict(answer.headers)["content-type"].startswith("text/plain; version=0.0.4")
    text = answer.body.decode()
    assert 'apiserver_resource_objects{group="",resource="namespaces"} 4' in text.splitlines()
    assert text.startswith("# HELP ")
    assert text.endswith("\n")


def test_the_issuer_of_tokens_is_published(server: ApiServer) -> None:
    answer = ask(server, "GET", "/.well-known/openid-configuration")
    assert answer.status == 200
    document = json.loads(answer.body)
    account = {"metadata": {"name": "robot"}}
    accounts = f"{NAMESPACES}/default/serviceaccounts"
    assert ask(server, "POST", accounts, account).status == 201
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = json.loads(ask(server, "POST", f"{accounts}/robot/token", request).body)
    assert document["issuer"] in token["spec"]["audiences"]
    assert document["jwks_uri"].endswith("/openid/v1/jwks")


@pytest.mark.parametrize("target", ["/openid/v1/jwks", "/openid/v1/jwks/"])
def test_keys_of_tokens(server: ApiServer, target: str) -> None:
    answer = ask(server, "GET", target, accept="")
    assert (answer.status, json.loads(answer.body)) == (200, {"keys": []})
    assert dict(answer.headers)["content-type"] == "application/jwk-set+json"
    assert ask(server, "GET", target, accept="application/json").status == 406
    assert ask(server, "POST", target).status == 405


def test_all_of_these_are_listed(server: ApiServer) -> None:
    paths = json.loads(ask(server, "GET", "/").body)["paths"]
    assert {"/metrics", "/openid/v1/jwks", "/.well-known/openid-configuration"} <= set(paths)

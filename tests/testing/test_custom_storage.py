"""What custom resources are when they were stored and are read again, in whichever version."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.fake_clock import FakeClock

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
UNKNOWN = [{"type": "Ready", "status": "Unknown"}]
OBJECT = {"type": "object"}


def members(**properties: Any) -> dict[str, Any]:
    return {**OBJECT, "properties": properties}


STATUS = members(
    observed={"type": "integer", "default": -1},
    conditions={
        "type": "array",
        "default": UNKNOWN,
        "items": members(type={"type": "string"}, status={"type": "string"}),
    },
)


def version(name: str, storage: bool, **properties: Any) -> dict[str, Any]:
    schema = members(spec=members(**properties), status={**STATUS, "default": {"observed": -2}})
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }


def definition(*versions: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cups.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": {"plural": "cups", "kind": "Cup"},
            "versions": list(versions),
        },
    }


SIZE = {"type": "integer", "default": 3}
BOTH = definition(
    version("v1", True, size=SIZE),
    version("v1beta1", False, size=SIZE, colour={"type": "string", "default": "blue"}),
)


@pytest.fixture
def server() -> ApiServer:
    made = ApiServer(clock=FakeClock(), seed=1)
    made.put(BOTH)
    made.run_due()
    return made


def path(version: str, name: str = "", part: str = "") -> str:
    return f"/apis/shop.example/{version}/namespaces/default/cups{name and '/' + name}{part}"


def cup(version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "default"}
    return {"apiVersion": f"shop.example/{version}", "kind": "Cup", "metadata": metadata, **more}


def ask(
    server: ApiServer, method: str, target: str, body: Any = None, kind: str = "application/json"
) -> Any:
    data = None if body is None else json.dumps(body).encode()
    answer = server.handle(HttpRequest(method, target, (("content-type", kind),), data))
    assert isinstance(answer, Response)
    assert answer.status < 300, answer.body
    return json.loads(answer.body)


DEFAULT = {"observed": -2, "conditions": UNKNOWN}


@pytest.mark.parametrize("query", ["", "?dryRun=All"])
@pytest.mark.parametrize("given", [{}, {"status": {"observed": 7}}])
def test_a_status_that_is_written_apart_has_its_defaults(
    server: ApiServer, query: str, given: dict[str, Any]
) -> None:
    made = ask(server, "POST", path("v1") + query, cup(spec={}, **given))
    assert made["status"] == DEFAULT
    if not query:
        assert ask(server, "GET", path("v1", "a"))["status"] == DEFAULT
        assert ask(server, "GET", path("v1"))["items"][0]["status"] == DEFAULT


def test_nobody_owns_them_and_nothing_has_changed(server: ApiServer) -> None:
    made = ask(server, "POST", path("v1"), cup(spec={}))
    owned = [entry["fieldsV1"] for entry in made["metadata"]["managedFields"]]
    assert not any("f:status" in fields for fields in owned)
    again = ask(server, "PUT", path("v1", "a"), made)
    assert again == made
    patched = ask(server, "PATCH", path("v1", "a"), {"metadata": {"labels": {"a": "b"}}}, MERGE)
    assert patched["status"] == DEFAULT
    assert patched["metadata"]["generation"] == 1


def test_a_status_that_is_emptied_has_its_defaults_again(server: ApiServer) -> None:
    made = ask(server, "POST", path("v1"), cup(spec={}))
    made["status"] = {"observed": 5, "conditions": []}
    written = ask(server, "PUT", path("v1", "a", "/status"), made)
    assert written["status"] == {"observed": 5, "conditions": []}
    gone = {"status": {"observed": None}}
    assert ask(server, "PATCH", path("v1", "a", "/status"), gone, MERGE)["status"] == {
        "observed": -1,
        "conditions": [],
    }
    del written["status"], written["metadata"]["resourceVersion"]
    version = ask(server, "GET", path("v1", "a"))["metadata"]["resourceVersion"]
    written["metadata"]["resourceVersion"] = version
    assert ask(server, "PUT", path("v1", "a", "/status"), written)["status"] == DEFAULT


def test_objects_that_were_seeded_have_them_too(server: ApiServer) -> None:
    server.put(cup(spec={}))
    assert ask(server, "GET", path("v1", "a"))["status"] == DEFAULT


def test_applied_objects_have_them_too(server: ApiServer) -> None:
    target = path("v1", "a") + "?fieldManager=m"
    assert ask(server, "PATCH", target, cup(spec={}), APPLY)["status"] == DEFAULT


def test_a_version_that_is_not_stored_leaves_none_of_its_defaults(server: ApiServer) -> None:
    made = ask(server, "POST", path("v1beta1"), cup("v1beta1", spec={"colour": "red"}))
    assert made["spec"] == {"size": 3}
    assert ask(server, "GET", path("v1", "a"))["spec"] == {"size": 3}
    assert ask(server, "GET", path("v1"))["items"][0]["spec"] == {"size": 3}
    assert ask(server, "GET", path("v1beta1", "a"))["spec"] == {"size": 3}
    patched = ask(server, "PATCH", path("v1beta1", "a"), {"spec": {"size": 4}}, MERGE)
    assert patched["spec"] == {"size": 4}
    assert ask(server, "GET", path("v1", "a"))["spec"] == {"size": 4}
    [record] = server.cluster.store.collection("cups.shop.example").now()
    assert record.value()["spec"] == {"size": 4}

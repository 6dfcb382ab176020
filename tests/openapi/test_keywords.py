"""A keyword of schemas is one record: what a new one is to the generator and to the test server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen._openapi.keywords import KEYWORDS, MISSING, Keyword
from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen._shipped import kubernetes_spec
from clientgen.generator.resolve.schema_sentences import of_field
from clientgen.generator.sources.crd.crd_shape import shaped
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.fake_clock import FakeClock

NAME = "x-kubernetes-immutable"
TEXT: dict[str, Any] = {"type": "string"}
FIXED: dict[str, Any] = {**TEXT, NAME: True}


def changed(_stated: bool, new: object, old: object) -> str:
    return "the field is immutable" if old is not MISSING and new != old else ""


IMMUTABLE = Keyword(
    NAME,
    "flag",
    in_junctors="false",
    sentence=lambda stated: "Cannot be changed." if stated else "",
    refusal=changed,
)


@pytest.fixture
def immutable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KEYWORDS, NAME, IMMUTABLE)


def members(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def definition(spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cups.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": {"plural": "cups", "kind": "Cup"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": members(spec=spec)},
                }
            ],
        },
    }


PARTS = {
    "type": "array",
    "items": {**members(key=TEXT, size=FIXED), "required": ["key"]},
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["key"],
}
SPEC = members(
    colour=FIXED,
    size=TEXT,
    parts=PARTS,
    labels={"type": "object", "additionalProperties": FIXED},
)
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CUPS = "/apis/shop.example/v1/namespaces/default/cups"


class Served:
    """A server that has read its document just now."""

    def __init__(self) -> None:
        self._server = ApiServer(load(kubernetes_spec()), clock=FakeClock(), seed=1)

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = (("content-type", "application/json"),)
        content = None if body is None else json.dumps(body).encode()
        answer = self._server.handle(HttpRequest(method, path, headers, content))
        assert isinstance(answer, Response)
        self._server.run_due()
        return answer.status, json.loads(answer.body)

    def define(self, spec: dict[str, Any]) -> tuple[int, Any]:
        return self.send("POST", DEFINITIONS, definition(spec))

    def replace(self, **spec: Any) -> tuple[int, Any]:
        _, stored = self.send("GET", f"{CUPS}/c")
        return self.send("PUT", f"{CUPS}/c", stored | {"spec": spec})

    def schema(self) -> Any:
        _, stored = self.send("GET", f"{DEFINITIONS}/cups.shop.example")
        (version,) = stored["spec"]["versions"]
        return version["schema"]["openAPIV3Schema"]["properties"]["spec"]


def cup(**spec: Any) -> dict[str, Any]:
    named = {"apiVersion": "shop.example/v1", "kind": "Cup", "metadata": {"name": "c"}}
    return {**named, "spec": spec}


BEFORE: dict[str, Any] = {
    "colour": "red",
    "size": "s",
    "parts": [{"key": "a", "size": "s"}, {"key": "b", "size": "m"}],
    "labels": {"a": "1"},
}


def test_a_server_keeps_a_keyword_and_refuses_what_it_forbids(immutable: None) -> None:
    server = Served()
    assert server.define(SPEC)[0] == 201
    assert server.schema()["properties"]["colour"] == FIXED
    assert server.send("POST", CUPS, cup(**BEFORE))[0] == 201
    moved = {
        "colour": "red",
        "size": "l",
        "parts": [{"key": "c", "size": "l"}, *reversed(BEFORE["parts"])],
        "labels": {"a": "1", "b": "2"},
    }
    assert server.replace(**moved)[0] == 200


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"colour": "blue"}, "spec.colour"),
        ({"colour": None}, "spec.colour"),
        ({"labels": {"a": "2"}}, "spec.labels.a"),
        ({"labels": {}}, "spec.labels.a"),
        ({"parts": [{"key": "b", "size": "l"}]}, "spec.parts[0].size"),
    ],
)
def test_a_change_is_refused_with_its_field(
    immutable: None, change: dict[str, Any], field: str
) -> None:
    server = Served()
    server.define(SPEC)
    server.send("POST", CUPS, cup(**BEFORE))
    spec = {name: value for name, value in (BEFORE | change).items() if value is not None}
    status, refusal = server.replace(**spec)
    assert status == 422
    (cause,) = refusal["details"]["causes"]
    assert cause["field"] == field
    assert cause["message"].endswith("the field is immutable")


def test_junctors_must_not_have_it(immutable: None) -> None:
    either = {**members(colour=TEXT), "anyOf": [{"properties": {"colour": {NAME: True}}}]}
    status, refusal = Served().define(either)
    assert status == 422
    assert f"{NAME}: Forbidden: must be false to be structural" in refusal["message"]


def test_manifests_and_docstrings_have_it(immutable: None) -> None:
    problems = Problems()
    shown = shaped(definition(SPEC), "crd.yaml", problems)
    (version,) = shown["spec"]["versions"]
    colour = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["colour"]
    assert colour == FIXED
    assert list(of_field(Schema(colour), custom=True, whole=True)) == ["Cannot be changed."]
    shaped(definition({**TEXT, NAME: "yes"}), "crd.yaml", problems)
    assert [each.what for each in problems] == ['has to be true or false, not "yes"']


def test_a_keyword_without_a_record_is_dropped() -> None:
    server = Served()
    assert server.define(SPEC)[0] == 201
    assert server.schema()["properties"]["colour"] == TEXT
    server.send("POST", CUPS, cup(**BEFORE))
    assert server.replace(colour="blue")[0] == 200

"""What `kubectl explain` says of built-in kinds: one line each, in words of our own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.documents import explain_texts
from clientgen.testing._apiserver.documents.explain_texts import described
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.server import ApiServer


def schemas(path: str) -> dict[str, Any]:
    answer = ApiServer().handle(HttpRequest("GET", f"/openapi/v3/{path}"))
    assert isinstance(answer, Response)
    all_schemas: dict[str, Any] = json.loads(answer.body)["components"]["schemas"]
    return all_schemas


def test_kinds_and_fields_are_described() -> None:
    all_schemas = schemas("api/v1")
    pod = all_schemas["io.k8s.api.core.v1.Pod"]
    assert pod["description"]
    assert all(each["description"] for each in pod["properties"].values())
    spec = all_schemas["io.k8s.api.core.v1.PodSpec"]["properties"]
    assert spec["containers"]["description"]
    assert spec["containers"]["type"] == "array"


def test_every_text_is_about_something() -> None:
    """A name that is spelt wrong would describe nothing."""
    by_text: dict[str, set[str]] = {}
    for name, definition in load().document["definitions"].items():
        by_text.setdefault(name.rpartition(".")[2], set()).update(definition.get("properties", {}))
    for name, texts in explain_texts._texts().items():
        if name != "*":
            assert texts.keys() - {""} <= by_text[name], name


def test_every_text_is_one_short_line() -> None:
    for texts in explain_texts._texts().values():
        for text in texts.values():
            assert text.endswith(".")
            assert "\n" not in text
            assert len(text) < 100


@pytest.mark.parametrize("name", ["io.k8s.api.core.v1.Pod", "com.example.v1.Pod"])
def test_existing_descriptions_are_kept(name: str) -> None:
    own = {"description": "mine", "properties": {"spec": {"description": "mine, too"}}}
    assert described(name, own) == own

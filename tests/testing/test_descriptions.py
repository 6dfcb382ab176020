"""What `kubectl explain` shows of built-in kinds: the texts of specs/descriptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.documents.explain_texts import shipped_descriptions
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer

FOLDER = Path(__file__).parents[2] / "specs/descriptions"


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
    assert all(each["description"] for each in spec.values())
    assert spec["restartPolicy"]["type"] == "string"


def test_fields_have_the_names_of_json() -> None:
    port = schemas("api/v1")["io.k8s.api.core.v1.ContainerPort"]["properties"]["hostIP"]
    assert "`hostPort`" in port["description"]


def test_all_files_are_read() -> None:
    packages = {name.rpartition(".")[0] for name in shipped_descriptions().texts}
    assert packages == {path.stem for path in FOLDER.iterdir()}


@pytest.mark.parametrize("name", ["io.k8s.api.core.v1.Pod", "com.example.v1.Pod"])
def test_existing_descriptions_are_kept(name: str) -> None:
    own = {"description": "mine", "properties": {"spec": {"description": "mine, too"}}}
    assert shipped_descriptions().described(name, own) == own

"""Manifests of Python types: a real API server takes them, and holds objects to them.

The same types, values and expectations as of the in-process server: see
support/constraints.py.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from clusterkit.together import until
from kubeapi.apiextensions.v1.models import CustomResourceDefinition

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.constraints import CASES, PART, Case
from support.crds import definition, module

from clientgen.generator.config import Flags
from clientgen.generator.crds.gathering import folders
from clientgen.goyaml.reading import load_yaml
from clientgen.runtime.codec import from_dict
from clientgen.runtime.errors import ApiError, NotFound
from clientgen.runtime.request import HttpRequest

if TYPE_CHECKING:
    from clusterkit.scratch import Scratch

pytestmark = pytest.mark.cluster

GOLDEN = Path(__file__).resolve().parents[1] / "crd_golden"
GOOD = sorted(case for case in GOLDEN.iterdir() if (case / "expected").is_dir())
# Two sessions on one cluster must not meet.
GROUP = f"{secrets.token_hex(4)}.clientgen.example"


@pytest.fixture(autouse=True)
def flavour(kubeconfig: str) -> str:
    """What is asked here has no flavours."""
    return "threads"


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_definitions_are_taken(
    case: Path, scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(case)
    crds = scratch.admin.apiextensions_v1.custom_resource_definitions()
    for folder in folders(Flags(), tmp_path):
        for text in folder.wanted.values():
            found = from_dict(CustomResourceDefinition, _renamed(load_yaml(text)[0]))
            crds.create(found, dry_run=True, field_validation="Strict")


def _renamed(found: dict[str, Any]) -> dict[str, Any]:
    """The definition in a group that nobody else has."""
    plural, _, _ = found["metadata"]["name"].partition(".")
    found["metadata"]["name"] = f"{plural}.{GROUP}"
    found["spec"]["group"] = GROUP
    return found


def field(number: int) -> str:
    return f"f{number}"


@pytest.fixture(scope="module")
def things(scratch: Scratch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The path of a resource that has a field for each case."""
    texts = [
        f"\n{case.said}".replace("\nx:", f"\n{field(number)}:") for number, case in enumerate(CASES)
    ]
    found = _renamed(
        definition(tmp_path_factory.mktemp("types"), module("".join(texts), before=PART))
    )
    crds = scratch.admin.apiextensions_v1.custom_resource_definitions()
    crds.create(from_dict(CustomResourceDefinition, found), field_validation="Strict")
    path = f"/apis/{GROUP}/v1/things"
    until(lambda: _is_served(scratch, path))
    yield path
    crds.delete(found["metadata"]["name"])


def _is_served(scratch: Scratch, path: str) -> bool:
    try:
        scratch.admin.rest.send(HttpRequest("GET", path))
    except NotFound:
        return False
    return True


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.said for case in CASES])
def test_objects_are_held_to_the_types(
    number: int, things: str, scratch: Scratch, namespace: str
) -> None:
    case: Case = CASES[number]
    path = things.replace("/things", f"/namespaces/{namespace}/things?dryRun=All")
    for value in case.good:
        assert _create(scratch, path, number, value) is None, value
    for value, where in case.bad:
        refused = _create(scratch, path, number, value)
        assert refused is not None, value
        causes = refused.status.details.causes if refused.status.details else []
        fields = [cause.field for cause in causes]
        assert where.replace("spec.x", f"spec.{field(number)}") in fields, (value, str(refused))


def _create(scratch: Scratch, path: str, number: int, value: Any) -> ApiError | None:
    body = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Thing",
        "metadata": {"name": "t"},
        "spec": {field(number): value},
    }
    headers = (("Content-Type", "application/json"),)
    try:
        scratch.admin.rest.send(HttpRequest("POST", path, headers, json.dumps(body).encode()))
    except ApiError as error:
        return error
    return None

"""Sources of which nothing can be generated: told, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.definitions import custom_definition

Run = Callable[..., Result]
PULL = (
    "    `clientgen spec pull` fetches the document of a cluster; `--crd` reads definitions of "
    "custom resources. Nothing was written.\n1 problem\n"
)
PET = {"type": "object", "properties": {"name": {"type": "string"}}}
V2 = {"swagger": "2.0", "info": {"title": "t", "version": "1"}, "paths": {}}
V3 = {"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": {}}
OK = {"200": {"description": "OK"}}
PETS = {
    "/pets": {"get": {"operationId": "pets", "responses": OK}},
    "/apis/apps/v1/deployments": {"get": {"operationId": "deployments", "responses": OK}},
}
NO_PATHS = "describes no Kubernetes resource: it has no paths"
NO_CALLS = (
    "describes no Kubernetes resource: none of its 2 operations is a call on one "
    "(`x-kubernetes-action`, on a path such as /apis/apps/v1/deployments)"
)


@pytest.mark.parametrize("command", ["generate", "verify"])
@pytest.mark.parametrize(
    ("document", "what"),
    [
        (V2, NO_PATHS),
        ({**V2, "definitions": {"Pet": PET}}, NO_PATHS),
        ({**V2, "definitions": {"Pet": PET}, "paths": PETS}, NO_CALLS),
        (V3, NO_PATHS),
        ({**V3, "components": {"schemas": {"Pet": PET}}}, NO_PATHS),
        ({**V3, "components": {"schemas": {"Pet": PET}}, "paths": PETS}, NO_CALLS),
    ],
)
def test_a_document_without_a_resource_is_a_problem(
    run: Run, command: str, document: dict[str, Any], what: str
):
    Path("pets.json").write_text(json.dumps(document))
    result = run(command, "--spec", "pets.json", "--output", "out", "--package", "pets")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"pets.json: {what}\n{PULL}"
    assert not Path("out").exists()


def test_a_folder_without_a_resource_is_a_problem(run: Run):
    Path("v3").mkdir()
    keys = {"version": {"serverRelativeURL": "x"}, "apis": {"serverRelativeURL": "y"}}
    Path("v3/index.json").write_text(json.dumps({"paths": keys}))
    for key in keys:
        Path(f"v3/{key}.json").write_text(json.dumps(V3))
    result = run("generate", "--spec", "v3", "--output", "out", "--package", "p")
    assert result.exit_code == 1
    assert result.stderr == f"v3/apis.json and others: {NO_PATHS}\n{PULL}"


def test_a_document_without_a_resource_may_stand_beside_others(run: Run):
    Path("pets.json").write_text(json.dumps(V2))
    flags = ("--spec", "pets.json", "--spec", "shop.json", "--output", "out", "--package", "p")
    assert run("generate", *flags).exit_code == 0


def test_a_package_of_which_all_is_elsewhere_is_a_problem(run: Run, monkeypatch):
    crd = custom_definition("example.com", "Foo")
    Path("foo.json").write_text(json.dumps(crd))
    assert run("generate", "--crd", "foo.json", "--output", ".", "--package", "foos").exit_code == 0
    monkeypatch.syspath_prepend(str(Path.cwd()))
    again = run(
        "generate", "--crd", "foo.json", "--use", "foos", "--output", "out", "--package", "p"
    )
    assert again.exit_code == 1
    assert again.stderr == (
        "flags: no kind is left to generate clients for\n"
        "    Left out: example.com/v1: in foos already. Nothing was written.\n1 problem\n"
    )
    assert not Path("out").exists()


def test_a_selection_that_leaves_nothing_is_a_problem(run: Run):
    flags = ("--spec", "shop.json", "--output", "out", "--package", "p")
    result = run("generate", *flags, "--exclude", "*")
    assert result.exit_code == 1
    assert result.stderr == (
        "flags: exclude[0]: `include` and `exclude` leave no kind to generate\n"
        "    include more or exclude fewer\n1 problem\n"
    )
    assert not Path("out").exists()


def test_an_existing_package_stays(run: Run):
    """A document that lost its paths must not empty a package."""
    flags = ("--spec", "shop.json", "--output", "out", "--package", "p")
    assert run("generate", *flags).exit_code == 0
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    Path("shop.json").write_text(json.dumps(V2))
    assert run("generate", *flags).exit_code == 1
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before

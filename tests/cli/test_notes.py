"""What is told and keeps nothing from being generated, and files that are not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.definitions import custom_definition

from clientgen.runtime._manifests.manifest_documents import ManifestError, documents

Run = Callable[..., Result]
FLAGS = ("--output", "out", "--package", "ops")


def definition(**spec: Any) -> None:
    Path("crds").mkdir(exist_ok=True)
    Path("crds/ship.json").write_text(json.dumps(custom_definition("example.com", "Ship", **spec)))


def go(*kinds: str) -> None:
    Path("api/v1").mkdir(parents=True, exist_ok=True)
    Path("api/v1/doc.go").write_text("// +groupName=example.com\npackage v1\n")
    for kind in kinds:
        text = (
            f"package v1\n\n// +genclient\n// +genclient:onlyVerbs=get\ntype {kind} struct {{}}\n"
        )
        Path(f"api/v1/{kind.lower()}.go").write_text(text)


def test_a_kind_of_go_without_a_definition_is_noted(run: Run):
    definition()
    go("Ship", "Shipp", "Breakwater")
    flags = ("--crd", "crds", "--go-types", "api", *FLAGS)
    result = run("generate", *flags)
    assert result.exit_code == 0
    assert result.stderr == (
        "note: api/v1/breakwater.go:3: 'example.com/v1/Breakwater' is not a kind with an endpoint "
        "in the spec\n    No source of this run has it. Write a kind like 'apps/v1/Deployment'.\n"
        "note: api/v1/shipp.go:3: 'example.com/v1/Shipp' is not a kind with an endpoint "
        "in the spec\n"
        "    did you mean `example.com/v1/Ship`?\n"
    )
    clients = Path("out/ops/example/v1/clients.py").read_text()
    assert "def get(" in clients
    assert "def list(" not in clients, "markers of the kind that is there count"
    assert run("generate", *flags, "--quiet", "--force").stderr == ""


def test_sources_of_which_no_kind_has_a_definition_are_a_problem(run: Run):
    definition()
    go("Wharf", "Quay")
    result = run("generate", "--crd", "crds", "--go-types", "api", *FLAGS)
    assert result.exit_code == 1
    assert result.stderr.endswith("2 problems\n")
    assert not Path("out").exists()


def test_markers_of_the_configuration_have_to_fit(run: Run):
    definition()
    Path("clientgen.toml").write_text(
        'package = "ops"\noutput = "out"\ncrd = "crds"\n[markers]\n'
        '"example.com/v1/Ship" = ["+genclient"]\n"example.com/v1/Wharf" = ["+genclient"]\n'
    )
    assert run("generate").exit_code == 1


WEBHOOK = {
    "strategy": "Webhook",
    "webhook": {
        "clientConfig": {"service": {"namespace": "system", "path": "/convert"}},
        "conversionReviewVersions": ["v1"],
    },
}


def test_a_webhook_without_a_service_is_noted(run: Run):
    definition(conversion=WEBHOOK)
    for _ in range(2):  # what is known to be sound is not looked at again
        result = run("generate", "--crd", "crds", "--force", *FLAGS)
        assert result.exit_code == 0
        assert result.stderr == (
            "note: crds/ship.json:1 #/spec/conversion/webhook/clientConfig/service/name: "
            "a server refuses this: Required value: service name is required\n"
            "    The client is generated anyway.\n"
        )
    assert Path("out/ops/example/v1/models.py").is_file()


def test_other_server_refusals_are_problems(run: Run):
    definition(conversion={**WEBHOOK, "strategy": "Magic"})
    result = run("generate", "--crd", "crds", *FLAGS)
    assert result.exit_code == 1
    assert "conversion/strategy: Unsupported value" in result.stderr


@pytest.mark.parametrize(
    ("flag", "folder", "name"),
    [("--crd", "crds", "gone.yaml"), ("--crd", "crds", "folder"), ("--go-types", "api", "gone.go")],
)
def test_a_link_to_nowhere_in_a_folder_is_a_problem(run: Run, flag: str, folder: str, name: str):
    definition()
    go("Ship")
    Path(folder, name).symlink_to("../elsewhere")
    flags = ("--crd", "crds", "--go-types", "api", *FLAGS)
    result = run("generate", *flags)
    assert result.exit_code == 1
    assert result.stderr == (
        f"{folder}/{name}: is a symbolic link to a missing file, '../elsewhere'\n"
        "    Remove it, or create the file that it points to.\n1 problem\n"
    )
    Path(folder, name).unlink()
    Path(folder, "README.md").symlink_to("../elsewhere")
    assert run("generate", *flags).exit_code == 0


def test_a_link_to_nowhere_among_manifests_cannot_be_read(here: Path):
    Path("objects").mkdir()
    Path("objects/a.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    Path("objects/b.yaml").symlink_to("../elsewhere")
    with pytest.raises(ManifestError, match=r"b\.yaml: the file cannot be read: No such file"):
        list(documents(Path("objects")))


def test_a_definition_without_a_served_version_is_noted(run: Run) -> None:
    definition()
    unserved = custom_definition("example.com", "Raft")
    unserved["spec"]["versions"][0]["served"] = False
    Path("crds/raft.json").write_text(json.dumps(unserved))
    result = run("generate", "--crd", "crds", *FLAGS)
    assert result.exit_code == 0
    assert result.stderr == (
        "note: crds/raft.json:1 #/spec/versions: has no served version, so there is nothing to "
        "generate\n    Set `served: true` in one of them.\n"
    )
    models = Path("out/ops/example/v1/models.py").read_text()
    assert "class Ship(" in models
    assert "class Raft(" not in models
    Path("crds/ship.json").unlink()
    alone = run("generate", "--crd", "crds", "--force", *FLAGS)
    assert alone.exit_code == 1, "then there is nothing at all"


def test_what_openapi_wants_and_clients_do_not_need_is_noted(run: Run) -> None:
    source = Path(__file__).parents[2] / "specs" / "small" / "fields.json"
    Path("right.json").write_bytes(source.read_bytes())
    document = json.loads(source.read_text())
    operations = [
        operation
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "operationId" in operation
    ]
    for operation in operations:
        operation["operationId"] = "same"
        for response in operation["responses"].values():
            del response["description"]
    Path("odd.json").write_text(json.dumps(document))
    assert run("generate", "--spec", "right.json", *FLAGS).stderr == ""
    expected = {each.name: each.read_bytes() for each in Path("out").rglob("*.py")}
    for _ in range(2):  # what is known to be sound is not looked at again
        result = run("generate", "--spec", "odd.json", "--force", *FLAGS)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("note: odd.json#/paths/") == 2
        assert "has the operationId 'same' of odd.json#/paths/" in result.stderr
        assert "has no description" in result.stderr
    assert {each.name: each.read_bytes() for each in Path("out").rglob("*.py")} == expected

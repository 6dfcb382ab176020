"""Definitions of custom resources, ours and others': a real server is of our opinion."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from clusterkit.definitions import DEFINITIONS, Definition, ask, defined, new_domain, within
from clusterkit.generation import definitions
from clusterkit.scratch import Scratch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.crds import Server
from support.wrong_definitions import (
    ROOTS,
    SCHEMAS_OF_SPEC,
    SPECS,
    UNREADABLE,
    with_root,
    with_spec,
)

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
Cause = tuple[str, str]


@pytest.fixture(autouse=True)
def flavour(kubeconfig: str) -> str:
    """None: the tests run once."""
    return ""


# ---- the good ----------------------------------------------------------------------------------

# What `clientgen crd` writes, what it is to be able to read, and the examples of both.
GOOD = [
    *sorted(TESTS.glob("crd_golden/*/expected/*.yaml")),
    *sorted(
        path
        for path in TESTS.glob("golden/crd-*/**/*")
        if path.suffix in {".yaml", ".yml", ".json"}
        and "expected" not in path.parts
        and "CustomResourceDefinition" in path.read_text()
    ),
    *sorted(ROOT.glob("examples/*/crds/*.yaml")),
    *sorted(ROOT.glob("examples/*/release/*.yaml")),
    *sorted(ROOT.glob("examples/*/crd.yaml")),
]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_good_definition_is_accepted_and_served(scratch: Scratch, path: Path) -> None:
    domain = new_domain()
    ours = [json.loads(within(domain, json.dumps(each))) for each in definitions(path)]
    assert ours
    with defined(scratch.admin, ours) as there:
        for each in there:
            _, stored = ask(scratch.admin, "GET", f"{DEFINITIONS}/{each['metadata']['name']}")
            states = {state["type"]: state["status"] for state in stored["status"]["conditions"]}
            assert states.pop("NonStructuralSchema", "False") == "False"
            assert (states["NamesAccepted"], states["Established"]) == ("True", "True")
            _, expected = Server().ask("POST", DEFINITIONS, each)
            assert stored["spec"] == expected["spec"]


# ---- the bad -----------------------------------------------------------------------------------


def causes(answer: dict[str, Any]) -> list[Cause]:
    """What is wrong: the reason and the field of each cause."""
    causes: list[dict[str, str]] = answer.get("details", {}).get("causes", [])
    return [(each["reason"].removeprefix("FieldValue"), each["field"]) for each in causes]


def judged(scratch: Scratch, definition: Definition) -> tuple[int, list[Cause]]:
    """What the server says to a definition, which it does not store."""
    code, answer = ask(scratch.admin, "POST", f"{DEFINITIONS}?dryRun=All", definition)
    return code, causes(answer)


WRONG = [
    *((with_spec(schema), wrong) for schema, wrong in SCHEMAS_OF_SPEC),
    *((with_root(schema), wrong) for schema, wrong in ROOTS),
    *SPECS,
]


@pytest.mark.parametrize(("definition", "wrong"), WRONG)
def test_our_problems_match_the_refusals_of_the_server(
    scratch: Scratch, definition: Definition, wrong: list[Cause]
) -> None:
    assert judged(scratch, definition) == (422 if wrong else 201, wrong)


BAD = [
    pytest.param(each, id=f"{path.parent.name}-{number}")
    for path in sorted(TESTS.glob("golden/bad-crd-*/*.yaml"))
    if path.parent.name in {"bad-crd-api-version", "bad-crd-rules", "bad-crd-types",
                            "bad-crd-versions"}
    for number, each in enumerate(definitions(path))
]  # fmt: skip


@pytest.mark.parametrize("definition", [*BAD, *UNREADABLE])
def test_a_definition_that_is_refused_here_is_refused_there(
    scratch: Scratch, definition: Definition
) -> None:
    code, answer = Server().ask("POST", f"{DEFINITIONS}?dryRun=All", definition)
    assert judged(scratch, definition) == (code, causes(answer))

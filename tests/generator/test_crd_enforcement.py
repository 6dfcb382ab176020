"""What the types say is what our server does; see support/enforcement.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.constraints import CASES, Case, table_module
from support.crds import Server, definition
from support.enforcement import SCENARIOS, Scenario, Serve, Things, hold_to


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    return lambda *sources: Things(Server(definition(tmp_path, *sources)).ask)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Things:
    """A server of things that have the fields of all cases."""
    return Things(Server(definition(tmp_path_factory.mktemp("table"), table_module())).ask)


@pytest.mark.parametrize("case", CASES, ids=[case.line for case in CASES])
def test_the_server_takes_what_the_type_allows_and_refuses_the_rest(
    table: Things, case: Case
) -> None:
    hold_to(case, table, f"x{CASES.index(case)}")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_types_are_enforced(serve: Serve, scenario: Scenario) -> None:
    scenario(serve)

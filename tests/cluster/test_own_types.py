"""What Python types say is what a real server does; see support/enforcement.py.

The questions are asked as they are, without a client: there are no flavours of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from clusterkit.definitions import ask, defined, new_domain, within
from clusterkit.scratch import Scratch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.constraints import CASES, Case, table_module
from support.crds import definition
from support.enforcement import SCENARIOS, Scenario, Serve, Things, hold_to

pytestmark = pytest.mark.cluster


@pytest.fixture(autouse=True)
def flavour(kubeconfig: str) -> str:
    """None: the tests run once."""
    return ""


@contextmanager
def things(
    scratch: Scratch, folder: Path, namespace: str, *sources: str
) -> Generator[Things, None, None]:
    """A server that has the definition of some modules, for a while."""
    domain = new_domain()
    made = json.loads(within(domain, json.dumps(definition(folder, *sources))))
    with defined(scratch.admin, [made]):
        yield Things(partial(ask, scratch.admin), domain, namespace)


@pytest.fixture
def serve(scratch: Scratch, namespace: str, tmp_path: Path) -> Iterator[Serve]:
    with ExitStack() as stack:

        def serve(*sources: str) -> Things:
            return stack.enter_context(things(scratch, tmp_path, namespace, *sources))

        yield serve


@pytest.fixture(scope="module")
def table(scratch: Scratch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Things]:
    """A server of things that have the fields of all cases."""
    namespace = scratch.make()
    with things(scratch, tmp_path_factory.mktemp("table"), namespace, table_module()) as table:
        yield table
    scratch.drop(namespace)


@pytest.mark.parametrize("case", CASES, ids=[case.line for case in CASES])
def test_the_server_takes_what_the_type_allows_and_refuses_the_rest(
    table: Things, case: Case
) -> None:
    hold_to(case, table, f"x{CASES.index(case)}")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_types_are_enforced(serve: Serve, scenario: Scenario) -> None:
    scenario(serve)

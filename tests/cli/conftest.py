"""What the tests of the command line share."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from support.server import Certificates, ScriptedServer

from clientgen.cli.program import program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SMALL = Path(__file__).resolve().parents[2] / "specs" / "small"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory but for a spec, shop.json."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMALL / "all-of.json", "shop.json")
    return tmp_path


@pytest.fixture
def run(here: Path) -> Callable[..., Result]:
    """Runs a command line in `here`."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(program, arguments, prog_name="clientgen", catch_exceptions=False)

    return run


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    return Certificates()


@pytest.fixture
def server(certificates: Certificates) -> Iterator[ScriptedServer]:
    made = ScriptedServer(certificates)
    yield made
    made.close()

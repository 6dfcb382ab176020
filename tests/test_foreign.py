"""scripts/foreign does what it says, on definitions of our own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from foreign import checkers, corpus
from foreign.projects import projects

GOLDEN = Path(__file__).parent / "golden"
SHIP = """\
apiVersion: fleet.example.com/v1
kind: Ship
metadata: {name: Really Unsinkable}
spec: {bow: {power: 3, fuel: {kind: coal}}, spares: [{power: 5}, {}]}
---
apiVersion: fleet.example.com/v1
kind: Ship
metadata: {name: leaking}
spec: {bow: {power: much}}
---
apiVersion: fleet.example.com/v1
kind: Boat
metadata: {name: small}
spec: {crew: {{ .Values.crew }} }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("crds", "samples"):
        (tmp_path / "fleet" / part).mkdir(parents=True)
    shutil.copy(GOLDEN / "crd-alike/ships.yaml", tmp_path / "fleet/crds")
    shutil.copy(GOLDEN / "bad-crd-types/crd.yaml", tmp_path / "fleet/crds")
    (tmp_path / "fleet/samples/ships.yaml").write_text(SHIP)
    return tmp_path


def test_definitions_and_samples_are_found(folder: Path) -> None:
    (project,) = projects([folder])

    assert [path.name for path in project.definitions] == ["crd.yaml", "ships.yaml"]
    assert project == next(projects([folder / "fleet"]))


@pytest.mark.slow
def test_counts_refusals_and_failures_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def complaint(_folder: Path, _package: str) -> list[str]:
        return ["models.py:1: error: a wrong type"]

    def praise(_folder: Path, _package: str) -> list[str]:
        return []

    monkeypatch.setattr(checkers, "mypy", complaint)
    monkeypatch.setattr(checkers, "pyright", praise)

    assert corpus.run([folder], folder / "work") == 1

    refused, counts, failure, total = capsys.readouterr().out.splitlines()
    assert refused.startswith("    refused: crds/0000-crd.yaml:")
    assert counts.startswith("fleet: definitions 2, refused definitions 1, classes 23")
    assert "mypy failures 1, pyright failures 0, samples 2, updated samples 1" in counts
    assert "refused samples 1, load failures 0, dump failures 0, update failures 0" in counts
    assert failure == "    mypy: models.py:1: error: a wrong type"
    assert total.startswith("all: ")

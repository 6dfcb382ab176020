"""Models that are too many for one module: the same classes, in several."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clientgen._gvk import GroupVersion
from clientgen.generator.config_records import PackageConfig
from clientgen.generator.ir import Field, ListType, Model, ModelId, ModelType
from clientgen.generator.pipeline import generate
from clientgen.generator.plan import model_parts
from clientgen.generator.plan.model_parts import in_parts
from clientgen.generator.plan.plan_records import FieldPlan, FilePlan, ModelPlan, Symbol
from clientgen.generator.sources.used_packages import parse

GOLDEN = Path(__file__).parents[1] / "golden"
HOME = GroupVersion("x.io", "v1")
ALIKE = GOLDEN / "crd-alike/ships.yaml"
IMPORTED = """
import importlib, json, sys, msgspec
models = importlib.import_module(sys.argv[1])
for name in models.__all__:
    msgspec.json.Decoder(getattr(models, name))
group = importlib.import_module(sys.argv[1].removesuffix(".models"))
assert {*models.__all__} == {*group.__all__}
print(json.dumps(sorted(models.__all__)))
"""


def imported(folder: Path, module: str) -> list[str]:
    """The names of a module of models, each of which can be decoded."""
    command = [sys.executable, "-c", IMPORTED, module]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, timeout=60
    )
    names: list[str] = json.loads(done.stdout)
    return names


def made(target: Path, source: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> Path:
    monkeypatch.setattr(model_parts, "MAX_STEPS_PER_MODULE", most)
    generate(PackageConfig("fleet_api", target, crds=(source,)), lambda _: None, force=True)
    return target / "fleet_api"


def steps(path: Path) -> int:
    """About how many steps pyright needs: two for a class and one for each attribute."""
    lines = path.read_text().splitlines()
    attributes = [line for line in lines if line.startswith("    ") and ": " in line]
    return sum(line.startswith("class ") for line in lines) + len(attributes)


def test_users_import_the_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(tmp_path / "whole", ALIKE, monkeypatch, 15_000)
    split = made(tmp_path / "split", ALIKE, monkeypatch, 60)

    before, after = whole / "fleet/v1", split / "fleet/v1"
    names = {path.name for path in after.iterdir()} - {path.name for path in before.iterdir()}
    assert names >= {"models_1.py", "models_2.py", "models_3.py"}
    parts = {f"{kind}_{n}.py" for kind in ("models", "manifests") for n in range(1, len(names) + 1)}
    assert names <= parts
    assert steps(after / "models_2.py") < steps(before / "models.py") / 2
    assert "class " not in (after / "models.py").read_text()
    same = ["__init__.py", "clients.py", "async_clients.py", "informers.py", "listers.py"]
    assert [(after / name).read_bytes() for name in same] == [
        (before / name).read_bytes() for name in same
    ]
    module = "fleet_api.fleet.v1.models"
    assert imported(tmp_path / "split", module) == imported(tmp_path / "whole", module)


def test_parts_that_are_no_longer_needed_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path, ALIKE, monkeypatch, 60) / "fleet/v1"
    assert list(folder.glob("models_*.py"))
    made(tmp_path, ALIKE, monkeypatch, 15_000)

    assert not list(folder.glob("models_*.py"))
    assert "class Ship(" in (folder / "models.py").read_text()


def test_a_package_in_use_is_read_through_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "whole", ALIKE, monkeypatch, 15_000)
    made(tmp_path / "split", ALIKE, monkeypatch, 60)

    whole, split = (parse(["fleet_api"], [tmp_path / name]) for name in ("whole", "split"))
    assert len(whole.models) > 20
    assert split == whole


def model(name: str, **fields: str) -> Model:
    members = (Field(key, ListType(ModelType(ModelId(HOME, of)))) for key, of in fields.items())
    return Model(ModelId(HOME, name), tuple(members))


def split(models: list[Model], late: frozenset[str] = frozenset()) -> list[FilePlan]:
    plans = tuple(
        ModelPlan(
            each.id.name,
            "",
            tuple(FieldPlan(f.name, f.name, f.type, "list", "") for f in each.fields),
        )
        for each in models
    )
    names = tuple(plan.name for plan in plans)
    file = FilePlan("x/v1/models.py", "models.py.j2", "", "", names, plans, late=late)
    return in_parts(file, models)


TREES = [
    model("Branch", tree="Tree"),
    model("Bud", leaf="Leaf"),
    model("Leaf", on="Branch", leaf="Leaf"),
    model("Seed"),
    model("Tree", branches="Branch"),
]


def test_types_in_circles_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_parts, "MAX_STEPS_PER_MODULE", 1)
    whole, *files = split(TREES)

    assert [file.defines for file in files] == [("Branch", "Tree"), ("Seed",), ("Leaf",), ("Bud",)]
    assert [file.path for file in files] == [f"x/v1/models_{n}.py" for n in (1, 2, 3, 4)]
    assert whole.reexports[0] == Symbol(".x.v1.models_1", "Branch")
    assert whole.models == ()


def test_modules_that_import_each_other_are_left_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_parts, "MAX_STEPS_PER_MODULE", 1)

    assert [file.path for file in split(TREES, frozenset({"y/v1"}))] == ["x/v1/models.py"]


def test_pyright_takes_every_part() -> None:
    """768 is its limit, and a step counts 0.025; a field is up to three steps."""
    assert model_parts.MAX_STEPS_PER_MODULE <= 768 / 0.025 / 2

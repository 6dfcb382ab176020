"""Packages in use are found, and their models read back as they were generated."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from clientgen import __version__
from clientgen._gvk import GroupVersion
from clientgen._problems import ClientgenError
from clientgen.generator.config_records import PackageConfig, PlacedText, Renames
from clientgen.generator.inputs import gather as gather_inputs
from clientgen.generator.ir import (
    EnumType,
    Imported,
    ListType,
    Model,
    ModelId,
    ModelType,
    PythonClass,
    Scalar,
)
from clientgen.generator.pipeline import generate
from clientgen.generator.resolve import resolve
from clientgen.generator.sources.used_packages import gather, is_shared, parse, shared_types
from clientgen.runtime._models import meta_v1

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "generated"
SPEC = ROOT / "specs/kubernetes/swagger.json"
CORE_V1 = GroupVersion("", "v1")


def problems(names: list[str], *paths: Path) -> list[str]:
    with pytest.raises(ClientgenError) as caught:
        parse(names, paths, "clientgen.toml: uses")
    return [str(problem) for problem in caught.value.problems]


def shape(model: Model) -> Any:
    """What of a model counts: documentation and known values of strings do not."""
    return model.gvk, model.item, {f.name: (_loose(f.type), f.required) for f in model.fields}


def _loose(type_: Any) -> Any:
    if isinstance(type_, ListType):
        return ("list", _loose(type_.item))
    return Scalar.STRING if isinstance(type_, EnumType) else type_


def test_models_are_read_back_as_they_were_resolved() -> None:
    config = PackageConfig("kubeapi", GENERATED, (SPEC,))
    api = resolve(gather_inputs(config).parse().specs, ())
    resolved = {model.id: model for gv in api.group_versions for model in gv.models}

    imported = parse(["kubeapi"], [GENERATED])
    read = {model.id: model for model in imported.models}

    assert read.keys() == resolved.keys() == imported.classes.keys()
    for key, model in resolved.items():
        assert shape(read[key]) == shape(model), key
    assert imported.provided.keys() == {gv.group_version for gv in api.group_versions}


def test_the_classes_are_there() -> None:
    imported = parse(["kubeapi"], [GENERATED])

    cls = imported.classes[ModelId(CORE_V1, "PodTemplateSpec")]
    assert cls == PythonClass("kubeapi.core.v1.models", "PodTemplateSpec")
    assert hasattr(importlib.import_module(cls.module), cls.name)


def test_the_runtime_has_the_shared_types() -> None:
    public = set(meta_v1.__all__) - {"ModelList"}
    assert public == {model.name for model in shared_types()}
    assert all(map(is_shared, shared_types()))


def test_used_packages_are_read_without_importing(tmp_path: Path) -> None:
    shutil.copytree(GENERATED / "kubeapi", tmp_path / "quietapi")
    before, path = set(sys.modules), list(sys.path)

    imported = parse(["quietapi"], [tmp_path])

    assert imported.classes[ModelId(CORE_V1, "Pod")].module == "quietapi.core.v1.models"
    assert not {name for name in sys.modules if name.startswith("quietapi")} - before
    assert sys.path == path


def test_manifests_are_what_counts_for_the_digest() -> None:
    (manifest,) = gather(["kubeapi"], [GENERATED])

    assert manifest.name == "kubeapi/_manifest.json"
    assert manifest.data == (GENERATED / "kubeapi/_manifest.json").read_bytes()


def test_a_package_inside_of_another_and_in_a_zip(tmp_path: Path) -> None:
    inner = tmp_path / "company" / "kube"
    shutil.copytree(GENERATED / "kubeapi", inner)
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in inner.rglob("*"):
            if path.suffix in {".py", ".json"}:
                file.write(path, Path("zipped") / path.relative_to(inner))

    nested = parse(["company.kube"], [tmp_path])
    zipped = parse(["zipped"], [archive])

    pod = ModelId(CORE_V1, "Pod")
    assert nested.classes[pod].module == "company.kube.core.v1.models"
    assert zipped.classes[pod].module == "zipped.core.v1.models"
    assert zipped.models == nested.models


def test_the_first_package_that_has_a_type_has_it(tmp_path: Path) -> None:
    shutil.copytree(GENERATED / "kubeapi", tmp_path / "otherapi")

    imported = parse(["otherapi", "kubeapi"], [tmp_path, GENERATED])

    assert imported.provided[CORE_V1] == "otherapi"
    assert {cls.module.partition(".")[0] for cls in imported.classes.values()} == {"otherapi"}


def test_packages_used_by_a_used_package_are_known(tmp_path: Path) -> None:
    case = ROOT / "tests/golden/crd-uses-kubernetes"
    crds = (case / "pools.json", case / "workers.json")
    config = PackageConfig("workerapi", tmp_path, crds=crds, uses=("kubeapi",), root=case)
    generate(config, lambda _stage: None)

    imported = parse(["workerapi"], [tmp_path])

    pool = next(model for model in imported.models if model.id.name == "PoolSpec")
    template = ModelId(CORE_V1, "PodTemplateSpec")
    assert [field.type for field in pool.fields] == [ModelType(template)]
    assert imported.classes[template].module == "kubeapi.core.v1.models"
    assert [one.name for one in gather(["workerapi"], [tmp_path])] == [
        "workerapi/_manifest.json",
        "kubeapi/_manifest.json",
    ]


def test_all_problems_of_packages_are_reported_at_once(tmp_path: Path) -> None:
    for name in ("foreign", "broken", "older"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "broken/_manifest.json").write_text("<<<<<<< HEAD")
    contents = json.loads((GENERATED / "kubeapi/_manifest.json").read_text())
    del contents["group_versions"]
    (tmp_path / "older/_manifest.json").write_text(json.dumps(contents))

    assert problems(["absent", "foreign", "broken", "older"], tmp_path) == [
        (
            "clientgen.toml: uses: there is no package `absent`\n"
            "    Install it, or generate it first. "
            f"Looked in {tmp_path} and on Python's path."
        ),
        (
            "clientgen.toml: uses: the package `foreign` was not generated by clientgen: it has no "
            "_manifest.json\n    Name a generated package such as `kubeapi`."
        ),
        (
            "clientgen.toml: uses: the _manifest.json of the package `broken` cannot be read\n"
            "    Generate it again with this version of clientgen."
        ),
        (
            f"clientgen.toml: uses: the package `older` is from an older clientgen, {__version__}, "
            "and does not list its types\n    Generate it again with this version of clientgen."
        ),
    ]


def test_modules_that_are_not_as_generated_are_told_at_once(tmp_path: Path) -> None:
    package = tmp_path / "kubeapi"
    shutil.copytree(GENERATED / "kubeapi", package)
    (package / "apps/v1/models.py").unlink()
    (package / "batch/v1/models.py").write_text("class Job(Model:\n")

    first, second = problems(["kubeapi"], tmp_path)

    assert f"{package}/apps/v1/models.py: is missing" in first
    assert f"{package}/batch/v1/models.py: is not Python" in second


def test_a_type_that_no_generator_wrote_is_told_with_its_line(tmp_path: Path) -> None:
    package = tmp_path / "kubeapi"
    shutil.copytree(GENERATED / "kubeapi", package)
    module = package / "node/v1/models.py"
    module.write_text(module.read_text() + "\n\nclass Odd(Model):\n    it: set[str]\n")
    line = len(module.read_text().splitlines())

    (told,) = problems(["kubeapi"], tmp_path)

    assert told.startswith(f"{module}:{line}: `set[str]` is not a type that clientgen writes")


def test_group_versions_of_a_used_package_are_not_generated_again() -> None:
    case = ROOT / "tests/golden/crd-uses-kubernetes"
    crds = (case / "workers.json",)
    config = PackageConfig("all", GENERATED, (SPEC,), crds=crds, uses=("kubeapi",), root=case)
    parsed = gather_inputs(config).parse()

    api = resolve(parsed.specs, (), imported=parsed.imported)

    workers = GroupVersion("workers.example.com", "v1")
    assert [gv.group_version for gv in api.group_versions] == [workers]
    assert {one.reason for one in api.skipped if one.what == "apps/v1"} == {"in kubeapi already"}


def test_only_missing_types_of_a_group_version_are_generated() -> None:
    config = PackageConfig("all", GENERATED, (SPEC,), uses=("kubeapi",))
    parsed = gather_inputs(config).parse()
    known = parsed.imported
    newer = {ModelId(GroupVersion("node.k8s.io", "v1"), n) for n in ("RuntimeClass", "Overhead")}
    classes = {model: cls for model, cls in known.classes.items() if model not in newer}

    api = resolve(parsed.specs, (), imported=Imported(classes, known.models, known.provided))

    (node,) = api.group_versions
    assert {model.id for model in node.models} == newer
    assert [resource.kind for resource in node.resources] == ["RuntimeClass"]


def test_classes_that_were_renamed_are_known_by_the_names_of_the_api(tmp_path: Path) -> None:
    case = ROOT / "tests/golden/crd-uses-kubernetes"
    renames = Renames({"workers.example.com/v1/PoolSpec": PlacedText("Wanted", "flags")})
    crds = (case / "pools.json",)
    config = PackageConfig("poolapi", tmp_path, crds=crds, uses=("kubeapi",), renames=renames)
    generate(config, lambda _stage: None)

    imported = parse(["poolapi"], [tmp_path])

    spec = ModelId(GroupVersion("workers.example.com", "v1"), "PoolSpec")
    assert imported.classes[spec] == PythonClass("poolapi.workers.v1.models", "Wanted")
    assert {model.id for model in imported.models} == imported.classes.keys()

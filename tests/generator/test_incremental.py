"""Whatever a package is made from: unchanged, nothing is done; changed, it is made again.

One test body for every source. A source is a folder of files, one of which matters to the package.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clientgen._problems import ClientgenError
from clientgen.generator import pipeline
from clientgen.generator.configuration import Flags, load
from clientgen.generator.package_manifest import Manifest
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.sync import Rest
from clientgen.testing import FakeCluster, LocalServer

ROOT = Path(__file__).resolve().parents[2]

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: KIND, plural: PLURAL}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {schedule: {type: string}}
"""
CRONTAB = CRD.replace("KIND", "CronTab").replace("PLURAL", "crontabs")
FLEET = CRD.replace("KIND", "Fleet").replace("PLURAL", "fleets")

TYPES = '''\
"""Types of stable.example.com/v1."""
# +groupName=stable.example.com

from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Literal, Model, auto, constant

from .parts import CronTabSpec


# +genclient
class CronTab(Model):
    """A job that runs on a schedule."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["CronTab"] = constant("CronTab")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: CronTabSpec
'''
PARTS = '''\
"""Parts of types."""

from clientgen.runtime._models.model import Model


class CronTabSpec(Model):
    """What to run."""

    schedule: str | None = None
'''

GO = """\
// +groupName=stable.example.com
package v1

// +genclient
// +genclient:skipVerbs=delete
type CronTab struct {
}
"""


@dataclass(frozen=True)
class Source:
    """The keys of the config, the files by name, a change to one of them, and one more file."""

    keys: str
    files: dict[str, str]
    changed: dict[str, str]
    added: dict[str, str]


V3 = {
    path.relative_to(ROOT / "tests/golden/v3-folder").as_posix(): path.read_text()
    for path in (ROOT / "tests/golden/v3-folder/v3").rglob("*")
    if path.is_file()
}
SMALL = {
    name: (ROOT / "specs/small" / name).read_text() for name in ("all-of.json", "circles.json")
}


def described(text: str) -> str:
    """A document that says something else in a place that counts for nothing but its digest."""
    document = json.loads(text)
    document["info"]["title"] = "Another"
    return json.dumps(document)


SOURCES = {
    "spec": Source(
        "spec = ['all-of.json']",
        {"all-of.json": SMALL["all-of.json"]},
        {"all-of.json": described(SMALL["all-of.json"])},
        {},
    ),
    "v3": Source("spec = ['v3']", V3, {}, {}),
    "crd": Source(
        "crd = ['crds']",
        {"crds/crontab.yaml": CRONTAB, "crds/notes.txt": "read by nobody"},
        {"crds/crontab.yaml": CRONTAB.replace("schedule", "clock")},
        {"crds/deep/er/fleet.yml": FLEET},
    ),
    "types": Source(
        "types = ['myops.v1']",
        {
            "src/myops/__init__.py": "",
            "src/myops/v1.py": TYPES,
            "src/myops/parts.py": PARTS,
        },
        # Not the module that is named, but one it is made of.
        {"src/myops/parts.py": PARTS.replace("schedule", "clock")},
        {},
    ),
    "go-types": Source(
        "crd = ['crd.yaml']\ngo-types = ['api']",
        {"crd.yaml": CRONTAB, "api/v1/types.go": GO},
        {"api/v1/types.go": GO.replace("delete", "patch")},
        {"api/v1/more.go": "package v1\n\n// Fleet is no kind of its own.\ntype Fleet struct{}\n"},
    ),
}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def configure(keys: str) -> None:
    Path("clientgen.toml").write_text(f"package = 'made'\noutput = 'out'\n{keys}\n")


def generate() -> tuple[pipeline.Result, list[str]]:
    """The result of the last package, and the stages that it went through."""
    stages: list[str] = []
    *others, package = load(Flags())
    for other in others:
        pipeline.generate(other, lambda _: None)
    return pipeline.generate(package, stages.append), stages


def differs() -> bool:
    *_, package = load(Flags())
    return bool(pipeline.verify(package, lambda _: None))


def inputs() -> dict[str, str]:
    manifest = Manifest.parse(Path("out/made/_manifest.json").read_bytes())
    assert manifest
    return dict(manifest.inputs)


@pytest.mark.parametrize("name", SOURCES)
def test_an_unchanged_source_is_read_and_nothing_else_is_done(name: str):
    write(SOURCES[name].files)
    configure(SOURCES[name].keys)
    assert generate()[0].changes.written
    result, stages = generate()
    assert (result.unchanged, stages) == (True, [])
    assert not differs()


@pytest.mark.parametrize("name", [name for name in SOURCES if SOURCES[name].changed])
def test_a_changed_file_is_noticed(name: str):
    write(SOURCES[name].files)
    configure(SOURCES[name].keys)
    generate()
    before = inputs()
    write(SOURCES[name].changed)
    assert differs()
    result, stages = generate()
    assert not result.unchanged
    assert stages
    after = inputs()
    assert before.keys() == after.keys()
    assert sum(before[key] != after[key] for key in before) == 1
    assert not differs()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SOURCES if SOURCES[name].added])
def test_a_file_that_comes_and_goes_is_noticed(name: str):
    source = SOURCES[name]
    write(source.files)
    configure(source.keys)
    generate()
    before = inputs()
    write(source.added)
    assert differs()
    assert generate()[0].changes
    assert len(inputs()) == len(before) + 1
    for added in source.added:
        Path(added).unlink()
    assert differs()
    assert generate()[0].changes
    assert inputs() == before


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_is_gone_is_a_problem_and_changes_nothing(name: str):
    source = SOURCES[name]
    write(source.files)
    configure(source.keys)
    generate()
    before = Path("out/made/_manifest.json").read_bytes()
    for file in source.files:
        Path(file).unlink(missing_ok=True)
    with pytest.raises(ClientgenError):
        generate()
    assert Path("out/made/_manifest.json").read_bytes() == before


@pytest.mark.parametrize("name", SOURCES)
def test_the_inputs_are_called_the_same_on_every_machine(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(SOURCES[name].files)
    configure(SOURCES[name].keys)
    generate()
    there = tmp_path / "elsewhere" / "deep"
    there.mkdir(parents=True)
    monkeypatch.chdir(there)
    write(SOURCES[name].files)
    configure(SOURCES[name].keys)
    generate()
    mine, theirs = (folder / "out/made/_manifest.json" for folder in (tmp_path, there))
    assert mine.read_bytes() == theirs.read_bytes()
    assert str(tmp_path) not in mine.read_text()


def test_a_used_package_that_changes_changes_its_users():
    table = "output = 'out'\n"
    write({"crd.yaml": CRONTAB, "base.json": SMALL["circles.json"]})
    Path("clientgen.toml").write_text(
        f"[packages.base]\n{table}spec='base.json'\n"
        f"[packages.made]\n{table}crd='crd.yaml'\nuses='base'\n"
    )
    generate()
    assert generate()[0].unchanged
    assert "base/_manifest.json" in inputs()
    write({"base.json": described(SMALL["circles.json"])})
    assert not generate()[0].unchanged
    assert generate()[0].unchanged
    shutil.rmtree("out/base")
    *_, package = load(Flags())
    with pytest.raises(ClientgenError, match="base"):
        pipeline.generate(package, lambda _: None)


@pytest.fixture
def cluster() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster()) as server:
        yield server


@pytest.mark.slow
def test_a_cluster_that_changes_is_noticed(cluster: LocalServer):
    configure(
        f"cluster = {{ kubeconfig = '{cluster.kubeconfig}' }}\ninclude = 'stable.example.com'"
    )

    def define(text: str, method: str, name: str = "") -> None:
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions{name}"
        headers = (("Content-Type", "application/yaml"),)
        with Rest.from_config(cluster.kubeconfig) as rest:
            request = HttpRequest(method, path, headers=headers, body=text.encode())
            rest.send(request, rest.deadline({}))

    define(CRONTAB, "POST")
    assert generate()[0].changes.written
    assert generate()[0].unchanged
    assert "openapi/v3/apis/stable.example.com/v1" in inputs()
    define(FLEET, "POST")
    assert differs()
    assert generate()[0].changes.written
    define("", "DELETE", "/fleets.stable.example.com")
    assert generate()[0].changes
    assert generate()[0].unchanged

    # What others do in a shared cluster is not the package's business.
    other = FLEET.replace("stable.example.com", "other.example.com")
    define(other, "POST")
    assert not differs()
    assert generate()[0].unchanged
    define("", "DELETE", "/fleets.other.example.com")
    assert not differs()


@pytest.mark.parametrize(
    "keys",
    [
        "include = ['shop.example.com/v1']",
        "inlined = 'never'",
        "distribution = 'made'",
        "[rename]\n'shop.example.com/v1/Thing' = 'Item'",
        "[rename]\n'shop.example.com' = 'store'",
        "[markers]\n'shop.example.com/v1/Thing' = '+genclient:readonly'",
    ],
)
def test_a_changed_configuration_is_noticed(keys: str):
    write(SOURCES["spec"].files)
    configure(SOURCES["spec"].keys)
    generate()
    configure(f"{SOURCES['spec'].keys}\n{keys}")
    assert not generate()[0].unchanged
    assert generate()[0].unchanged
    assert not differs()


def test_a_distribution_that_loses_its_file_is_noticed():
    write(SOURCES["spec"].files)
    configure(SOURCES["spec"].keys + "\ndistribution = 'made'")
    generate()
    Path("out/pyproject.toml").unlink()
    assert differs()
    assert generate()[0].changes.written == ("../pyproject.toml",)

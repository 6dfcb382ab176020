"""No source of documents runs anything, whatever it says: commands as users type them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result
from support.definitions import custom_definition, custom_version
from support.documents import document_v2, document_v3
from support.sentinel import import_guarded
from support.shapes import strange
from support.tricks import TEXTS

from clientgen.testing import LocalServer

Run = Callable[..., Result]
Json = dict[str, Any]

# What can be written in JSON that all of its readers take.
SAID = [text for text in TEXTS if "\ud800" not in text]
CODE = "open('pwned', 'w').close()"
# What YAML readers of Python make objects of.
TAGS = (
    f'!!python/object/apply:builtins.eval ["{CODE}"]',
    '!!python/object/apply:os.system ["touch pwned"]',
    '!!python/object/new:os.system ["touch pwned"]',
    "!!python/name:os.system",
    "!!python/module:this",
    "!!python/object:os.system {}",
)


@pytest.fixture(autouse=True)
def sentinel(here: Path) -> Iterator[None]:
    """Whatever runs leaves a file behind."""
    yield
    assert not list(here.rglob("pwned"))


def schema() -> Json:
    """Every text at every place of a schema that is sound."""
    lines = [text for text in SAID if text.strip() and not {"\n", "\r"} & set(text)]
    rules = [{"rule": "self == self", "message": text} for text in lines]
    texts: Json = {
        f"p{n}": {
            "type": "string",
            "description": f"{text}\n\n{text}",
            "default": text,
            "format": f"no-format {text}",
            "enum": [text, "other"],
        }
        for n, text in enumerate(SAID)
    }
    names: Json = {text: {"type": "string", "description": text} for text in SAID if text}
    described: Json = {"type": "object", "description": SAID[0], "properties": {**texts, **names}}
    return {**described, "x-kubernetes-validations": rules}


def definition() -> Json:
    whole: Json = {"type": "object", "description": SAID[1], "properties": {"spec": schema()}}
    version = custom_version("v1", whole, deprecated=True, deprecationWarning='x""" \\')
    return custom_definition("shop.example.com", "Crate", version)


def write(path: str, value: object) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(value))


def sources() -> dict[str, Callable[[], tuple[str, ...]]]:
    def v2() -> tuple[str, ...]:
        write("v2.json", document_v2(schema=schema()))
        return "--spec", "v2.json"

    def v3() -> tuple[str, ...]:
        write("v3.json", document_v3(schema=schema()))
        return "--spec", "v3.json"

    def folder() -> tuple[str, ...]:
        write("specs/index.json", {"paths": {"apis/shop.example.com/v1": {}}})
        write("specs/apis__shop.example.com__v1.json", document_v3(schema=schema()))
        return "--spec", "specs"

    def crd_json() -> tuple[str, ...]:
        write("crd.json", definition())
        return "--crd", "crd.json"

    def crd_yaml() -> tuple[str, ...]:
        Path("crd.yaml").write_text(yaml.safe_dump(definition(), allow_unicode=False))
        return "--crd", "crd.yaml"

    return {"v2": v2, "v3": v3, "folder": folder, "crd-json": crd_json, "crd-yaml": crd_yaml}


def check_package(here: Path) -> None:
    for path in (here / "out" / "hostile").rglob("*.py"):
        assert not strange(path.read_text()), path
    import_guarded(here / "out", "hostile")


def generate(run: Run, *arguments: str) -> Result:
    return run("generate", *arguments, "--output", "out", "--package", "hostile")


@pytest.mark.parametrize("source", sources())
def test_texts_stay_texts(run: Run, here: Path, source: str):
    arguments = sources()[source]()
    result = generate(run, *arguments)
    assert result.exit_code == 0, result.output
    check_package(here)

    result = run("verify", *arguments, "--output", "out", "--package", "hostile")
    assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_a_cluster_is_no_better(run: Run, here: Path):
    """Its documents are what it makes of its definitions; they are pulled, and generated from."""
    with LocalServer() as server:
        server.cluster.add(definition())
        config = ("--kubeconfig", str(server.kubeconfig))
        for edition in ("v2", "v3"):
            assert run("spec", "pull", "--openapi", edition, *config).exit_code == 0
        Path("clientgen.toml").write_text(
            'package = "hostile"\noutput = "out"\ninclude = ["shop.example.com"]\n'
            f'cluster = {{kubeconfig = "{server.kubeconfig}"}}\n'
        )
        assert run("generate").exit_code == 0
    check_package(here)
    for spec in ("openapi-v2.json", "openapi-v3"):
        shutil.rmtree("out")
        Path("clientgen.toml").unlink(missing_ok=True)
        result = generate(run, "--spec", spec, "--include", "shop.example.com")
        assert result.exit_code == 0, result.output
        check_package(here)
    assert run("generate", "--crd", "openapi-v2.json", "--package", "x").exit_code == 1


@pytest.mark.parametrize("tag", TAGS)
def test_yaml_makes_no_objects(run: Run, tag: str):
    """Neither `generate` nor `serve` nor what `crd` compares with."""
    text = yaml.safe_dump(definition()).replace("group: shop.example.com", f"group: {tag}")
    Path("crd.yaml").write_text(text)
    assert generate(run, "--crd", "crd.yaml").exit_code == 1
    result = run("serve", "--crd", "crd.yaml", "--port", "0")
    assert result.exit_code == 1, result.output

    Path("tags.yaml").write_text(f"--- {tag}\n")
    assert generate(run, "--crd", "tags.yaml").exit_code == 1
    assert run("serve", "--manifests", "tags.yaml", "--port", "0").exit_code != 0


TYPES = '''"""Types."""
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Literal, Model, auto, constant


class CrateSpec(Model):
    a: str | None = None
    """{text}"""


# +genclient
class Crate(Model):
    """{text}"""

    api_version: Literal["shop.example.com/v1"] = constant(
        "shop.example.com/v1", name="apiVersion"
    )
    kind: Literal["Crate"] = constant("Crate")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: CrateSpec = auto(CrateSpec)
'''


def test_manifests_of_types_hold_texts(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch):
    """The user's own module is imported; its texts, and the manifest that is there, are not run."""
    monkeypatch.syspath_prepend(str(here))
    texts = "".join(text for text in SAID if "\0" not in text)
    Path("crate_types.py").write_text(TYPES.format(text=repr(texts)[1:-1].replace('"', '\\"')))
    Path("clientgen.toml").write_text(
        'package = "hostile"\noutput = "out"\ntypes = ["crate_types"]\ncrd-output = "crds"\n'
    )
    try:
        result = run("crd")
        assert result.exit_code == 0, result.output
        (file,) = Path("crds").iterdir()
        assert run("generate").exit_code == 0
        assert run("verify").exit_code == 0
        assert generate(run, "--crd", str(file)).exit_code == 0
        for tag in TAGS:
            file.write_text(f"spec: {tag}\n")
            assert run("crd", "--check").exit_code != 0
    finally:
        sys.modules.pop("crate_types", None)


GO = """// +groupName=shop.example.com
package v1

// Crate is "{text}"
// +genclient
// +genclient:{method}
// +resourceName=crates
type Crate struct {{
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}}
"""


@pytest.mark.parametrize("name", ["Import", "None", "Resource", "__init__", "Class", "Def"])
def test_markers_give_no_names_but_names(run: Run, here: Path, name: str):
    Path("types").mkdir()
    method = f"method={name},verb=get,subresource=status,result=Crate"
    Path("types/crate.go").write_text(GO.format(text="\u200b".join(SAID[:3]), method=method))
    write(
        "crd.json",
        custom_definition(
            "shop.example.com", "Crate", custom_version("v1", subresources={"status": {}})
        ),
    )
    result = generate(run, "--crd", "crd.json", "--go-types", "types")
    if result.exit_code == 0:
        check_package(here)
    else:
        assert "problem" in result.stderr


def test_markers_with_texts_are_told(run: Run):
    Path("types").mkdir()
    write("crd.json", custom_definition("shop.example.com", "Crate"))
    for text in SAID:
        method = f"method=X{text},verb=get,subresource={text},result=Crate"
        Path("types/crate.go").write_text(GO.format(text="", method=method.replace("\n", " ")))
        result = generate(run, "--crd", "crd.json", "--go-types", "types")
        assert result.exit_code == 1, text
        assert "problem" in result.stderr


class TestUsedPackages:
    """A package in `uses` is read, and never imported."""

    @pytest.fixture(autouse=True)
    def base(self, run: Run) -> None:
        write("base.json", document_v2(group="base.example.com"))
        done = run("generate", "--spec", "base.json", "--output", ".", "--package", "basis")
        assert done.exit_code == 0, done.output
        document = document_v2(definitions=document_v2(group="base.example.com")["definitions"])
        spec = {"$ref": "#/definitions/com.example.base.v1.Crate"}
        document["definitions"]["com.example.shop.v1.Crate"]["properties"]["spec"] = spec
        write("shop.json", document)

    def use(self, run: Run) -> Result:
        return generate(run, "--spec", "shop.json", "--use", "basis")

    def test_its_modules_do_not_run(self, run: Run):
        for path in Path("basis").rglob("*.py"):
            path.write_text(f"{path.read_text()}\n{CODE}\n")
        assert self.use(run).exit_code == 0
        text = Path("out/hostile/shop/v1/models.py").read_text()
        assert "from basis.base.v1.models import Crate" in text

    @pytest.mark.slow
    def test_its_manifest_names_what_can_be_there(self, run: Run):
        """Whatever else it names is told before anything is made of it."""
        file = Path("basis/_manifest.json")
        manifest = json.loads(file.read_text())
        for text in (*SAID, "../../x", "class/v1", "base/v1/..", "/etc", "os;x"):
            for wrong in (
                {"group_versions": {"base.example.com/v1": text}},
                {"group_versions": {f"base.example.com/{text}": "base/v1"}},
                {"uses": [text]},
                {"names": {"base.example.com/v1/Crate": text}},
            ):
                file.write_text(json.dumps({**manifest, **wrong}))
                result = self.use(run)
                # A key that could be no path inside the package is passed over by every reader.
                is_no_path = not text or "\\" in text or ".." in text
                assert result.exit_code == 1 or is_no_path, wrong
                for path in Path("out").rglob("*.py"):
                    strange_places = set(strange(path.read_text()))
                    assert strange_places <= {"an import of basis.base.v1.models"}, wrong

    @pytest.mark.parametrize(
        "line",
        [
            "class X(Model):\n    a: 'import os'\n",
            "class X(Model):\n    a: '\"\"'\n",
            "class X(Model):\n    a: dict[()]\n",
            "class X(Model):\n    a: Literal[()]\n",
            "class X(Model):\n    a: str = constant()\n",
            f"class X(Model):\n    a: [{CODE}]\n",
            "class X(Model):\n    a: " + "list[" * 3000 + "str" + "]" * 3000 + "\n",
            "class X(Model):\n    a: " + "(" * 3000 + "\n",
            "\0",
            "class X(Model)\n",
        ],
    )
    def test_a_model_that_no_generator_wrote_is_told(self, run: Run, line: str):
        file = Path("basis/base/v1/models.py")
        file.write_text(f"{file.read_text()}\n\n{line}")
        result = self.use(run)
        assert result.exit_code in {0, 1}
        assert result.exit_code == 0 or "problem" in result.stderr

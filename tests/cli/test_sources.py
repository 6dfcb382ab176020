"""The flags of sources, selection and distribution, from the command line to the package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
TO = ("--output", "out", "--package", "made")

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
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
"""
TYPES = '''\
"""Types of myops.example.com/v1."""
# +groupName=myops.example.com

from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Literal, Model, auto, constant


# +genclient
class Job(Model):
    """A job."""

    api_version: Literal["myops.example.com/v1"] = constant(
        "myops.example.com/v1", name="apiVersion"
    )
    kind: Literal["Job"] = constant("Job")
    metadata: ObjectMeta = auto(ObjectMeta)
'''
GO = """\
// +groupName=stable.example.com
package v1

// +genclient
// +genclient:readonly
type CronTab struct {
}
"""


@pytest.fixture(autouse=True)
def sources(here: Path) -> None:
    Path("crds").mkdir()
    for kind, plural in (("CronTab", "crontabs"), ("Fleet", "fleets")):
        text = CRD.replace("KIND", kind).replace("PLURAL", plural)
        Path(f"crds/{plural}.yaml").write_text(text)
    Path("job_types.py").write_text(TYPES)
    Path("api/v1").mkdir(parents=True)
    Path("api/v1/types.go").write_text(GO)


def kinds(run: Run, *flags: str) -> set[str]:
    rows = json.loads(run("resources", "--json", *flags).stdout)
    return {f"{row['groupVersion']}/{row['kind']}" for row in rows}


ALL = {
    "shop.example.com/v1/Thing",
    "stable.example.com/v1/CronTab",
    "stable.example.com/v1/Fleet",
    "myops.example.com/v1/Job",
}
EVERY = ("--spec", "shop.json", "--crd", "crds", "--types", "job_types")


def test_all_sources_become_one_package(run: Run):
    result = run("generate", *EVERY, "--go-types", "api", *TO)
    assert (result.exit_code, result.stderr) == (0, "")
    clients = Path("out/made/stable/v1/clients.py").read_text()
    cron, fleet = clients.split("class FleetCollection")
    assert "def create(" not in cron  # Go says that it is read only
    assert "def create(" in fleet
    assert Path("out/made/shop/v1/clients.py").exists()
    assert "from job_types import Job" in Path("out/made/myops/v1/clients.py").read_text()
    assert run("verify", *EVERY, "--go-types", "api", *TO).exit_code == 0


def test_each_flag_is_part_of_the_command_that_brings_a_package_up_to_date(run: Run):
    flags = (
        *EVERY,
        *TO,
        "--go-types",
        "api",
        "--include",
        "*.example.com",
        "--exclude",
        "stable.example.com/v1/Fleet",
        "--distribution",
        "made-client==1.0",
    )
    result = run("verify", *flags)
    assert result.exit_code == 1
    command = result.stderr.removeprefix("to bring it up to date: clientgen ").split()
    words = [word.strip("'") for word in command]
    assert sorted(words) == sorted(["generate", *flags])
    assert run(*words).exit_code == 0
    assert run("verify", *flags).exit_code == 0


@pytest.mark.parametrize(
    ("flags", "left"),
    [
        (EVERY, ALL),
        (("--crd", "crds", "--crd", "crds/fleets.yaml"), None),
        (("--types", "job_types"), {"myops.example.com/v1/Job"}),
        ((*EVERY, "--include", "myops.example.com"), {"myops.example.com/v1/Job"}),
        ((*EVERY, "--exclude", "*/*/CronTab"), ALL - {"stable.example.com/v1/CronTab"}),
    ],
)
def test_resources_are_those_of_all_sources_that_are_selected(
    run: Run, flags: tuple[str, ...], left: set[str] | None
):
    assert kinds(run, *flags) == (left or {k for k in ALL if k.startswith("stable.")})


def test_kinds_that_are_left_out_are_in_no_clientset_lister_informer_or_factory(run: Run):
    assert run("generate", *EVERY, "--exclude", "stable.example.com/v1/Fleet", *TO).exit_code == 0
    texts = [path.read_text() for path in Path("out/made").rglob("*.py")]
    assert not any("Fleet" in text or "fleets" in text for text in texts)
    assert run("generate", *EVERY, "--exclude", "stable.example.com", *TO).exit_code == 0
    assert not Path("out/made/stable").exists()
    assert "stable" not in Path("out/made/clientset.py").read_text()


def test_a_package_is_used_by_another_of_the_same_run(run: Run):
    Path("clientgen.toml").write_text("""
[packages.ant]
types = "job_types"
uses = "shop"
output = "out"
distribution = "ant-client"

[packages.shop]
spec = "shop.json"
output = "lib"
distribution = "shop-client==2.0"
""")
    result = run("generate")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        "lib/shop",
        "out/ant",
    ]
    written = Path("out/pyproject.toml").read_text()
    assert '"shop-client>=2.0",' in written
    assert "#   job_types" in written.splitlines()
    assert "#   shop" not in written.splitlines()
    assert run("verify").stdout == "lib/shop: up to date\nout/ant: up to date\n"


def test_a_distribution_by_flag_is_written_verified_and_never_over_another_file(run: Run):
    flags = ("--spec", "shop.json", *TO, "--distribution", "made-client==1.0")
    Path("out").mkdir()
    file = Path("out/pyproject.toml")
    file.write_text("[project]\n")
    refused = run("generate", *flags)
    assert (refused.exit_code, refused.stderr.partition(":")[0]) == (1, "out/pyproject.toml")
    assert not Path("out/made").exists()
    file.unlink()
    assert run("generate", *flags).exit_code == 0
    file.write_text(file.read_text() + "# mine\n")
    result = run("verify", *flags, "--diff")
    assert result.exit_code == 1
    assert "  ../pyproject.toml" in result.stdout.splitlines()
    assert "-# mine" in result.stdout.splitlines()


def test_a_flag_without_its_source_is_a_problem(run: Run):
    result = run("generate", "--spec", "shop.json", *TO, "--context", "x")
    assert result.exit_code == 1
    assert result.stderr.startswith("flags: --context selects a cluster, but no cluster is read")
    result = run("generate", "--go-types", "api", *TO)
    assert result.stderr.startswith(
        "flags: --package made needs a source (--spec, --crd, --types or --cluster) too"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("--crd", "a.yaml", "b.yaml", *TO),
        ("--crd", "a.yaml", "--crd", "b.yaml", *TO),
        ("--crd=a.yaml", "b.yaml", *TO),
        (*TO, "-v", "--crd", "a.yaml", "b.yaml", "--include", "stable.example.com/v1", "*/v1/None"),
    ],
    ids=["at once", "one by one", "with an equals sign", "last"],
)
def test_flags_take_what_a_shell_makes_of_a_pattern(run: Run, arguments: tuple[str, ...]):
    for kind in ("A", "B"):
        text = CRD.replace("PLURAL", f"{kind.lower()}s").replace("KIND", kind)
        Path(f"{kind.lower()}.yaml").write_text(text)
    made = run("generate", *arguments)
    if "--include" in arguments:
        assert "`*/v1/None` matches no kind" in made.stderr
        return
    assert made.exit_code == 0, made.output
    models = Path("out/made/stable/v1/models.py").read_text()
    assert "class A(" in models
    assert "class B(" in models


def test_a_value_without_a_flag_is_refused(run: Run):
    refused = run("generate", "a.yaml", *TO)
    assert refused.exit_code == 2
    refused = run("generate", "--output", "out", "a.yaml")
    assert refused.exit_code == 2

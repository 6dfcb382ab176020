"""`clientgen explain`: of packages, specs, definitions and Python types, without a cluster."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.hostile import HOSTILE, hostile_definition

ROOT = Path(__file__).resolve().parents[2]
CRONTABS = ROOT / "tests" / "golden" / "crd-basic" / "crontabs.yaml"
Run = Callable[..., Result]

FIELD = """\
GROUP:      stable.example.com
KIND:       CronTab
VERSION:    v1

FIELD:      env <[]CronTabSpecEnv>
PYTHON:     cron_tab.spec.env
            list[CronTabSpecEnv]

DESCRIPTION:
    The environment of what is run.

LIMITS:     No two items may have the same `name`.

FIELDS:
  name <string> -required-

  value <string>
"""


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")


@pytest.mark.parametrize("name", ["ct", "crontab", "CronTab", "crontabs.stable.example.com"])
def test_a_definition_is_explained_by_the_names_that_it_gives(run: Run, name: str):
    result = run("explain", f"{name}.spec.env", "--crd", str(CRONTABS))

    assert (result.exit_code, result.stdout, result.stderr) == (0, FIELD, "")


def test_a_spec_is_explained(run: Run):
    result = run("explain", "things", "--spec", "shop.json")

    assert result.exit_code == 0
    assert "KIND:       Thing\n" in result.stdout
    assert "CLIENT:     k.shop_v1.things(" in result.stdout


def test_types_of_the_user_are_explained(run: Run):
    shutil.copy(ROOT / "tests" / "golden" / "types-basic" / "crontab_types.py", "crontab_types.py")

    result = run("explain", "crontabs.spec", "--types", "crontab_types")

    assert result.exit_code == 0, result.stderr
    assert "PYTHON:     cron_tab.spec\n" in result.stdout


def test_a_package_is_explained_without_running_its_code(run: Run):
    run("generate", "--spec", "shop.json", "--output", "src", "--package", "shop")
    for file in Path("src/shop").rglob("*.py"):
        file.write_text(f"{file.read_text()}\nraise SystemExit('it ran')\n")

    result = run("explain", "things.spec", "--package", "shop")

    assert result.exit_code == 0, result.stderr
    assert "PYTHON:     thing.spec\n" in result.stdout
    assert not [name for name in sys.modules if name.partition(".")[0] == "shop"]


def test_without_flags_it_explains_the_package_of_the_config(run: Run):
    Path("clientgen.toml").write_text('spec="shop.json"\noutput="."\npackage="cups"\n')
    missing = run("explain", "things")
    assert missing.exit_code == 1
    assert "there is no package `cups`\n    Install it, or generate it first." in missing.stderr

    run("generate")
    assert "from cups.shop.v1 import Thing" in run("explain", "things").stdout


def test_without_anything_it_explains_kubeapi(run: Run):
    result = run("explain", "pods.spec.restartPolicy")

    assert result.exit_code == 0
    assert "PYTHON:     pod.spec.restart_policy\n" in result.stdout
    assert "DEFAULT:    Always\nVALUES:     Always, Never, OnFailure\n" in result.stdout


def test_facts_of_kubeapi_are_shown(run: Run):
    assert "DEPRECATED: " in run("explain", "services.spec.loadBalancerIP").stdout
    assert "SINCE:      1.34\n" in run("explain", "pods.spec.containers.restartPolicyRules").stdout
    port = run("explain", "services.spec.ports.port").stdout
    assert "FIELD:      port <integer> -required-\n" in port
    assert "LIMITS:     Range: 1 to 65535.\n" in port


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "pofs",
            (
                "pofs: kubeapi has no resource of this name\n"
                "    did you mean `pods`? For kinds of your own, add --crd FILE or --package NAME\n"
            ),
        ),
        ("pods.spek", "pods.spek: Pod has no field `spek`\n    did you mean `spec`?\n"),
    ],
)
def test_a_wrong_name_is_a_problem_with_a_suggestion(run: Run, path: str, message: str):
    result = run("explain", path)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"{message}1 problem\n"


def test_sources_of_a_kind_are_named_only_if_none_was_given(run: Run):
    told = run("explain", "xyzzy").stderr
    assert "are apiservices, " in told
    assert " more. For kinds of your own, add --crd FILE or --package NAME\n" in told
    for flags in (("--crd", str(CRONTABS)), ("--package", "kubeapi")):
        assert "For kinds of your own" not in run("explain", "xyzzy", *flags).stderr


def test_a_package_that_is_not_there_is_a_problem(run: Run):
    result = run("explain", "pods", "--package", "nothing_like_it")

    assert result.exit_code == 1
    assert "there is no package `nothing_like_it`" in result.stderr


def test_a_flag_that_says_what_to_generate_needs_a_source(run: Run):
    result = run("explain", "pods", "--include", "apps")

    assert result.exit_code == 1
    assert result.stderr.startswith(
        "flags: --include: there is no source to generate from\n    add --spec"
    )


def test_a_package_that_cannot_be_read_is_a_problem(run: Run):
    run("generate", "--spec", "shop.json", "--output", ".", "--package", "shop")
    Path("shop/shop/v1/models.py").write_text("class Thing(:\n")
    result = run("explain", "things", "--package", "shop")
    assert result.exit_code == 1
    assert result.stderr.startswith("shop.shop.v1.models: this module is not Python: ")

    Path("shop/scheme.py").write_text("_KINDS = {'shop.example.com/v1': print('it ran')}\n")
    result = run("explain", "things", "--package", "shop")
    assert result.exit_code == 1
    assert result.stderr.startswith("shop.scheme: its kinds cannot be read\n")


def test_recursive_lists_all_fields_once_on_each_way(run: Run):
    result = run("explain", "crontabs", "--recursive", "--crd", str(CRONTABS))
    _, _, fields = result.stdout.partition("FIELDS:\n")

    assert "    env <[]CronTabSpecEnv>\n      name <string> -required-\n" in fields
    assert "    cronSpec <string> -required-  (cron_spec)\n" in fields


def test_recursive_ends_where_a_type_is_inside_of_itself(run: Run):
    circles = ROOT / "specs" / "small" / "circles.json"
    (name,) = {
        line.split()[2]
        for line in run("resources", "--spec", str(circles)).stdout.splitlines()[1:2]
    }
    result = run("explain", name, "--recursive", "--spec", str(circles))

    assert result.exit_code == 0
    assert 0 < len(result.stdout.splitlines()) < 500


def test_texts_of_a_package_have_no_power_over_the_terminal(run: Run):
    Path("crd.yaml").write_text(hostile_definition())
    result = run("explain", "traps.spec", "--crd", "crd.yaml")

    assert result.exit_code == 0, result.stderr
    assert HOSTILE[0] in result.stdout
    assert all(line.isprintable() for line in result.stdout.split("\n"))

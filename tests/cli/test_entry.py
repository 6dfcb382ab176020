from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from clientgen import __version__

Run = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]
INSTALL = (
    "clientgen: this command needs the generator: install clientgen with its extra 'generator'\n"
)

# What `sys.modules[name] = None` does: `import name` fails as if it were not installed.
WITHOUT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
sys.argv = ["clientgen", *{arguments!r}]
from clientgen.cli.entry import main
main()
"""


def execute(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
    )


def without(missing: list[str], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    program = WITHOUT.format(missing=missing, arguments=list(arguments))
    return execute("-c", program, cwd=cwd)


def test_the_module_is_the_command(here: Path):
    arguments = ("--spec", "shop.json", "--output", "out", "--package", "shop")
    done = execute("-m", "clientgen", "generate", *arguments, cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("out/shop: ")
    (here / "out/shop/py.typed").write_text("x\n")
    done = execute("-m", "clientgen", "verify", *arguments, cwd=here)
    assert done.returncode == 1


def test_usage_errors_exit_with_two(here: Path):
    done = execute("-m", "clientgen", "generate", "--frobnicate", cwd=here)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: clientgen generate")


@pytest.mark.parametrize("missing", ["jinja2", "black", "openapi_spec_validator"])
def test_without_the_extra_one_line_says_what_to_install(here: Path, missing: str):
    done = without([missing], "generate", "--spec", "shop.json", cwd=here)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", INSTALL)


def test_without_click_one_line_says_what_to_install(here: Path):
    done = without(["click"], "--version", cwd=here)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", INSTALL)


@pytest.mark.parametrize(
    "arguments",
    [("--version",), ("--help",), ("spec", "pull", "--help"), ("completion", "zsh")],
    ids=" ".join,
)
def test_commands_that_do_not_generate_work_without_the_extra(
    here: Path, arguments: tuple[str, ...]
):
    missing = ["jinja2", "black", "openapi_spec_validator", "jsonschema_rs"]
    done = without(missing, *arguments, cwd=here)
    assert (done.returncode, done.stderr) == (0, "")


def test_pulling_works_without_the_extra_too(here: Path):
    done = without(["jinja2", "black"], "spec", "pull", "--kubeconfig", "no", cwd=here)
    assert done.returncode == 1
    assert "pip install" not in done.stderr


@pytest.mark.parametrize("arguments", [("explain", "po"), ("docs", "--output", "site")])
def test_packages_are_explained_without_the_extra(here: Path, arguments: tuple[str, ...]):
    missing = ["jinja2", "black", "openapi_spec_validator", "jsonschema_rs", "cel_expr_python"]
    done = without(missing, *arguments, cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_version_is_the_projects(run: Run):
    assert run("--version").stdout == f"clientgen {__version__}\n"


def test_help_names_every_command(run: Run):
    shown = run("--help").stdout
    for command in ("generate", "verify", "resources", "spec", "explain", "docs"):
        assert f"\n  {command} " in shown


def test_help_cuts_no_sentence_short(run: Run):
    assert "..." not in run("--help").output.split("Commands:")[1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_asks_the_command_itself(run: Run, shell: str):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_CLIENTGEN_COMPLETE={shell}_complete" in result.stdout


def test_help_shows_the_line_for_each_shell(run: Run):
    lines = run("completion", "--help").output.splitlines()
    assert """  bash:  echo 'eval "$(clientgen completion bash)"' >> ~/.bashrc""" in lines


def test_an_unknown_shell_is_a_usage_error(run: Run):
    assert run("completion", "cmd").exit_code == 2


def test_starting_the_command_line_loads_neither_generator_nor_runtime(here: Path):
    program = (
        "import sys, clientgen.cli.program\n"
        "heavy = {'jinja2', 'black', 'msgspec', 'aiohttp', 'urllib3', 'asyncio', 'yaml'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    assert execute("-c", program, cwd=here).returncode == 0

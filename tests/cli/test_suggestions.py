"""Names that are mistyped: whatever is one of a set is suggested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
SHOP = ("--spec", "shop.json", "--output", "out", "--package", "shop")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["genrate"], "No such command 'genrate'. Did you mean `generate`?"),
        (["Verify"], "No such command 'Verify'. Did you mean `verify`?"),
        (["spec", "pul"], "No such command 'pul'. Did you mean `pull`?"),
        (["spec", "xyz"], "No such command 'xyz'. There are pull."),
        (["generate", "--spce", "x"], "--spec"),
        (
            ["init", "--flavour", "asyncoi"],
            "'asyncoi' is not one of 'sync', 'asyncio'. Did you mean `asyncio`?",
        ),
        (["completion", "bahs"], "Did you mean `bash`?"),
        (["spec", "pull", "--openapi", "v33"], "Did you mean `v3`?"),
    ],
)
def test_commands_options_and_their_values(run: Run, words: list[str], message: str):
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]


def test_a_command_that_is_like_no_other_names_them_all(run: Run):
    last = run("xyz").stderr.splitlines()[-1]
    assert last.endswith(
        "There are completion, conversions, crd, docs, explain, generate, init, monitoring, rbac,"
        " resources, rules, run, serve, spec, verify, webhooks."
    )


@pytest.mark.parametrize(
    ("flag", "value", "meant"),
    [
        ("--kind", "widget", "Widget"),
        ("--kind", "cron-tab", "CronTab"),
        ("--name", "My Shop", "my-shop"),
        ("--group", "Example.com", "example.com"),
    ],
)
def test_names_of_a_new_project(run: Run, flag: str, value: str, meant: str):
    result = run("init", "shop", flag, value)
    assert result.stderr.splitlines()[1] == f"    did you mean `{meant}`?"
    assert run("init", "other", "--quiet", flag, meant).exit_code == 0


@pytest.mark.parametrize(
    ("flag", "value", "meant"),
    [
        ("--include", "shop.example.com/v1/thing", "shop.example.com/v1/Thing"),
        ("--exclude", "shops.example.com", "shop.example.com"),
    ],
)
def test_groups_and_kinds(run: Run, flag: str, value: str, meant: str):
    result = run("generate", *SHOP, flag, value)
    assert f"    did you mean `{meant}`?" in result.stderr.splitlines()


@pytest.mark.parametrize(
    ("config", "meant"),
    [
        ('packge = "x"', "package"),
        ('inlined = "oldr"', "older"),
        ('expansions = {"shop.example.com/v1/Thigns" = "a:B"}', "shop.example.com/v1/Thing"),
        ('markers = {"shop.example.com/v1/Thigns" = ["+genclient"]}', "shop.example.com/v1/Thing"),
        ('rename = {"shop.example.com/v1/Thigns" = "B"}', "shop.example.com/v1/Thing"),
    ],
)
def test_suggestions_for_names_in_a_configuration(run: Run, config: str, meant: str):
    base = 'package = "shop"\nspec = "shop.json"\noutput = "out"\n'
    Path("clientgen.toml").write_text(f"{base}{config}\n")
    result = run("generate")
    assert result.exit_code == 1
    assert f"    did you mean `{meant}`?" in result.stderr.splitlines()


def test_a_package_of_the_configuration(run: Run):
    table = 'spec = "shop.json"\noutput = "out"\n'
    Path("clientgen.toml").write_text(f"[packages.shops]\n{table}[packages.pets]\n{table}")
    result = run("verify", "--package", "shop")
    assert result.stderr.splitlines()[1] == "    did you mean `shops`?"


def test_a_context_of_a_kubeconfig(run: Run):
    Path("config").write_text(
        "contexts:\n- {name: production, context: {cluster: prod}}\n"
        "clusters:\n- {name: prd, cluster: {server: 'http://x'}}\n"
    )
    flags = ("--cluster", "--kubeconfig", "config", "--output", "out", "--package", "p")
    wrong = run("generate", *flags, "--context", "prodution")
    assert 'context "prodution" does not exist; did you mean "production"?' in wrong.stderr
    right = run("generate", *flags, "--context", "production")
    assert 'cluster "prod" does not exist; did you mean "prd"?' in right.stderr

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]


def test_a_table_shows_every_resource_with_verbs_and_subresources(run: Run):
    result = run("resources", "--spec", "shop.json")
    title, *rows = result.stdout.splitlines()
    assert title.startswith("GROUP VERSION        KIND   RESOURCE  SCOPE      VERBS")
    assert rows[0].startswith("shop.example.com/v1  Thing  things    namespace  ")
    assert result.exit_code == 0


def test_json_holds_the_same(run: Run):
    (thing,) = json.loads(run("resources", "--spec", "shop.json", "--json").stdout)
    assert thing["groupVersion"] == "shop.example.com/v1"
    assert (thing["kind"], thing["resource"], thing["namespaced"]) == ("Thing", "things", True)
    assert "list" in thing["verbs"]
    assert thing["subresources"] == []


def test_without_a_spec_the_documents_are_those_of_the_config(run: Run):
    Path("clientgen.toml").write_text('spec="shop.json"\noutput="."\npackage="shop"\n')
    assert run("resources").stdout == run("resources", "--spec", "shop.json").stdout


def test_a_document_that_is_not_there_is_a_problem(run: Run):
    result = run("resources", "--spec", "no.json")
    assert result.exit_code == 1
    assert result.stderr.startswith("no.json: ")

"""The public modules are few, their names are listed, and generated code imports from them only."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from clientgen.runtime._models import meta_v1

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = (
    "clientgen.runtime",
    "clientgen.runtime.aio",
    "clientgen.runtime.sync",
    "clientgen.runtime.controllers",
    "clientgen.runtime.models",
    "clientgen.runtime.views",
    "clientgen.runtime.manifests",
    "clientgen.runtime.errors",
    "clientgen.runtime.config",
    "clientgen.runtime.conditions",
    "clientgen.runtime.printers",
    "clientgen.runtime.webhooks",
    "clientgen.testing",
)
NAMES = Path(__file__).with_name("public_names.txt")
# Commands, not libraries: they are run by name, never imported.
PROGRAMS = ("clientgen.cli", "clientgen.generator", "clientgen.reference", "clientgen.__main__")


def _public_names(module: str) -> set[str]:
    return set(importlib.import_module(module).__all__)


def _modules() -> list[str]:
    files = (ROOT / "clientgen").rglob("*.py")
    parts = (file.relative_to(ROOT).with_suffix("").parts for file in files)
    return sorted(".".join(each[:-1] if each[-1] == "__init__" else each) for each in parts)


def _imports(text: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return {name for name in names if name.partition(".")[0] == "clientgen"}


def test_every_other_module_is_private_by_name():
    public = {
        name
        for name in _modules()
        if not name.startswith(PROGRAMS)
        and not any(part.startswith("_") for part in name.split("."))
    }
    assert public == {"clientgen", *PUBLIC}


def test_every_public_name_is_listed(update_golden: bool):
    """`--update-golden` writes the list. The types of meta/v1 are the API's, not listed."""
    ours = [
        f"{module}.{name}"
        for module in PUBLIC
        for name in _public_names(module)
        if not (module == "clientgen.runtime.models" and name in meta_v1.__all__)
        and module != "clientgen.runtime.manifests"
    ]
    text = "".join(f"{name}\n" for name in sorted(ours))
    if update_golden:
        NAMES.write_text(text)
    assert text == NAMES.read_text()


@pytest.mark.parametrize("module", PUBLIC)
def test_every_name_exists_and_is_documented(module: str):
    loaded = importlib.import_module(module)
    assert loaded.__doc__
    assert sorted(set(loaded.__all__)) == sorted(loaded.__all__)
    for name in loaded.__all__:
        assert getattr(loaded, name) is not None


def test_generated_code_and_examples_import_public_modules_only():
    """The examples are what people copy."""
    listed = subprocess.run(
        ["git", "ls-files", "generated", "examples"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [ROOT / name for name in listed.stdout.splitlines() if name.endswith(".py")]
    assert len(files) > 250
    private = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in _imports(file.read_text("utf-8"))
        if name not in {"clientgen", *PUBLIC}
    }
    assert not private


def test_what_pages_tell_to_implement_or_pass_is_public():
    names = _public_names("clientgen.runtime.controllers")
    assert {"QueueMetricsProvider", "QueueMetrics"} <= names
    assert "InformerMetricsProvider" in _public_names("clientgen.runtime")
    for module in ("owners", "change_predicates", "rate_limiters"):
        loaded = importlib.import_module(f"clientgen.runtime._controllers.{module}")
        own = {
            name
            for name, value in vars(loaded).items()
            if getattr(value, "__module__", "") == loaded.__name__
            and not isinstance(value, TypeVar)
            and not name.startswith("_")
        }
        assert own
        assert own - {"default_item_limiter"} <= names  # of work queues, by default


def test_every_error_has_its_cause_and_remedy_in_the_reference():
    page = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    classes = {
        value.__name__
        for module in PUBLIC
        for value in map(partial(getattr, importlib.import_module(module)), _public_names(module))
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    sections = set(re.findall(r"^### `(\w+)`$", page, re.MULTILINE))
    assert sections == classes - {"ClientError", "TransportError"}  # these introduce the sections

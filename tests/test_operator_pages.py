"""The guide to operators, and the pages for those who come from other frameworks.

Snippets that begin with the name of a file are parts of it. All others run, each page as one
program, beside the example that it is about.
"""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Service
from support.example_clients import EXAMPLES, generate_client

from clientgen.runtime.conditions import exists
from clientgen.testing import FakeCluster

ROOT = Path(__file__).resolve().parents[1]
GUIDE = "docs/guides/operators.md"
EXAMPLE = EXAMPLES / "webapp"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PART = re.compile(r"# (\S+\.py)\n(.*)", re.DOTALL)
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: PLURAL, kind: KIND}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture(autouse=True, scope="module")
def client_of_the_example() -> None:
    generate_client("webapp")


def snippets(page: str) -> Iterator[tuple[str, int]]:
    """The Python blocks of a page, and the line before each."""
    text = (ROOT / page).read_text("utf-8")
    for match in FENCE.finditer(text):
        yield match[1], text.count("\n", 0, match.start(1))


def run(page: str) -> dict[str, Any]:
    """Run the snippets of a page, and return its names."""
    names: dict[str, Any] = {"__name__": "guide"}
    for block, line in snippets(page):
        if PART.match(block) is None:
            code = compile("\n" * line + block, page, "exec", dont_inherit=True)
            exec(code, names)
    return names


def test_the_guide_shows_the_example() -> None:
    parts = [PART.match(block) for block, _ in snippets(GUIDE)]
    shown = [(part[1], part[2]) for part in parts if part is not None]
    assert shown
    for file, text in shown:
        lines = (EXAMPLE / file).read_text("utf-8").splitlines()
        place = 0
        for line in filter(None, text.splitlines()):
            assert line in lines[place:], f"{file} has no line {line!r} there"
            place = lines.index(line, place) + 1


def test_the_guide_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.chdir(EXAMPLE)
    before = set(sys.modules)
    try:
        run(GUIDE)
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("webapps"):
                del sys.modules[name]


def test_the_manager_of_the_guide_works_as_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.chdir(EXAMPLE)
    parts = [part for block, _ in snippets(GUIDE) if (part := PART.match(block)) is not None]
    (shown,) = [part[2] for part in parts if "def make_manager" in part[2]]
    before = set(sys.modules)
    try:
        operator = importlib.import_module("webapps.operator")
        exec(compile(shown, GUIDE, "exec"), vars(operator))
        run(GUIDE)  # its test takes that manager
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("webapps"):
                del sys.modules[name]


@pytest.mark.parametrize(
    ("page", "kind", "plural", "spec", "owned"),
    [
        ("docs/coming-from/controller-runtime.md", "Web", "webs", {"port": 80}, Service),
        ("docs/coming-from/kopf.md", "Board", "boards", {"text": "hello"}, ConfigMap),
    ],
)
def test_the_controllers_of_the_pages_work(
    page: str, kind: str, plural: str, spec: dict[str, Any], owned: Any
) -> None:
    make_manager = run(page)["make_manager"]
    cluster = FakeCluster(crds=DEFINITION.replace("KIND", kind).replace("PLURAL", plural))
    value = {"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "a"}, "spec": spec}

    async def scenario() -> None:
        k = cluster.clientset(AsyncClientset)
        manager = make_manager(cluster.clientset(AsyncClientset))
        running = asyncio.create_task(manager.run())
        await k.create(value)
        made = await k.wait(owned, "a", until=exists, timeout=60)
        assert [each.kind for each in made.metadata.owner_references] == [kind]
        manager.stop()
        await running

    asyncio.run(scenario())

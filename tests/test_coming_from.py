"""docs/coming-from: every call of ours on the pages is made, in the order of its page.

A page is one program (tests/support/coming_from.py). It talks to a server over HTTP that plays
workloads. Both checkers read the same programs (tests/test_checks.py), with those few calls that
would not end.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import yaml
from kubeapi import AsyncClientset, Clientset
from support.coming_from import CELLS, PAGES, Part, parts

from clientgen.testing import FakeCluster, LocalServer

OBJECTS = Path(__file__).with_name("support") / "coming_from.yaml"
# They go on until they are stopped, are made in a reconciliation, or need a terminal.
ELSEWHERE = (
    ".watch(): ",
    ".watch(Pod): ",
    ".run()",
    "for key in queue: ",
    "context.",
    "interactive(",
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    """A cluster with what the pages assume, and a kubeconfig with their contexts."""
    cluster = FakeCluster()
    cluster.apply_manifests(OBJECTS.read_text("utf-8"))
    cluster.play()
    container = cluster.container("shop/web-*")
    container.on_exec(run_command)
    container.files["/etc/motd"] = b"hello"
    container.port(8080, serve_page)
    for pod in ("web-0", "web-1"):
        cluster.logs(f"shop/{pod}").write("begun\nready")
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy/settings.yaml").write_text(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {colour: blue}}"
    )
    monkeypatch.chdir(tmp_path)
    with LocalServer(cluster) as running:
        config = yaml.safe_load(Path(running.kubeconfig).read_text())
        [context] = config["contexts"]
        context["context"]["namespace"] = "shop"
        config["contexts"].append({**context, "name": "staging"})
        (tmp_path / "kubeconfig").write_text(yaml.safe_dump(config))
        monkeypatch.setenv("KUBECONFIG", "kubeconfig")
        yield running


def run_command(process: Any) -> int:
    process.stdout.write(process.stdin.read() if process.command == ["cat"] else "done\n")
    return 0


def serve_page(connection: Any) -> None:
    while connection.readline().strip():
        pass
    connection.write(b"HTTP/1.0 200 OK\r\n\r\nhello")


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_calls_of_a_page_work(page: Path, server: LocalServer) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    failed: list[str] = []
    with asyncio.Runner() as runner:  # blocking calls are made outside of its loop
        for part in parts(page):
            if part.is_call and is_elsewhere(part):
                continue
            try:
                if inspect.iscoroutine(running := eval(compiled(part), names)):
                    runner.run(running)
            except Exception as error:
                failed.append(f"{part.place}: {part.code}: {error!r}")
        for value in names.values():
            if isinstance(value, Clientset):
                value.close()
            elif isinstance(value, AsyncClientset):
                runner.run(value.aclose())
    assert not failed, "\n".join(failed)


def test_no_call_of_a_table_is_overlooked() -> None:
    """A column with another heading would be skipped, and so would a rule that fits no call."""
    headings = {
        (page.stem, CELLS.split(before.strip("|"))[-1].strip())
        for page in PAGES
        for before, line in pairwise(page.read_text("utf-8").splitlines())
        if line.startswith("|---")
    }
    assert headings - {(page.stem, "clientgen") for page in PAGES} == {
        ("index", "the page"),
        ("index", "code"),
    }
    calls = [part for page in PAGES for part in parts(page) if part.is_call]
    assert len(calls) > 400
    elsewhere = [part.code for part in calls if is_elsewhere(part)]
    assert len(elsewhere) < 0.1 * len(calls)
    assert all(any(word in code for code in elsewhere) for word in ELSEWHERE)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_imports_what_it_uses(page: Path) -> None:
    nodes = [
        (node, part.is_call)
        for part in parts(page)
        for node in ast.walk(ast.parse(in_a_function(part)))
    ]
    imported = {
        (each.asname or each.name).partition(".")[0]
        for node, is_call in nodes
        if isinstance(node, ast.Import | ast.ImportFrom) and not is_call
        for each in node.names
    }
    assert imported - {node.id for node, _ in nodes if isinstance(node, ast.Name)} == set()


def in_a_function(part: Part) -> str:
    """The code where it may await."""
    return f"async def page():\n{textwrap.indent(part.code, '    ')}"


def compiled(part: Part) -> CodeType:
    """The code at its line of the page; it may await."""
    page, code = part.place.partition(":")[0], "\n" * part.line + part.code
    return compile(code, page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def is_elsewhere(part: Part) -> bool:
    """Whether a call goes on until somebody stops it, or has no place on a page."""
    return any(word in part.code for word in ELSEWHERE)

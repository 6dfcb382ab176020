"""Packages that are generated from a cluster."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from clientgen.cli.program import program
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._manifests.manifest_documents import documents, split_lists
from clientgen.runtime.errors import NotFound
from clusterkit.definitions import Definition, within
from clusterkit.together import until

if TYPE_CHECKING:
    from kubeapi.clientset import Clientset

__all__ = ["bare", "definitions", "in_domain", "run", "wait_for_documents"]


def run(folder: Path, *arguments: str) -> None:
    """Run a command in a folder."""
    with chdir(folder):
        done = CliRunner().invoke(program, arguments, prog_name="clientgen", catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (0, ""), (arguments, done.output)


def definitions(path: Path) -> Iterator[Definition]:
    """The definitions of a manifest, or of all in a folder, as they are."""
    for document in documents(path):
        for each in split_lists(document):
            if each.value["kind"] == "CustomResourceDefinition":
                yield each.value


def in_domain(domain: str, files: Iterable[Path], target: Path) -> None:
    """Copy files that are about groups of example.com; the copies are about those of a domain."""
    for path in files:
        target.mkdir(parents=True, exist_ok=True)
        (target / path.name).write_text(within(domain, path.read_text("utf-8")), "utf-8")


def wait_for_documents(admin: Clientset, defined: Iterable[Definition]) -> None:
    """Wait until the server's documents tell of resources, which takes it a second or two."""
    wanted = [each for definition in defined for each in _described(definition["spec"])]
    for path, resource in wanted:
        until(partial(_tells, admin, f"/openapi/v3{path}", resource))
    for _, resource in wanted:
        until(partial(_tells, admin, "/openapi/v2", resource))


def _described(spec: Definition) -> Iterator[tuple[str, str]]:
    for version in spec["versions"]:
        if version["served"]:
            path = f"/apis/{spec['group']}/{version['name']}"
            yield path, f'"{path}/{spec["names"]["plural"]}"'


def _tells(admin: Clientset, path: str, resource: str) -> bool:
    try:
        return resource.encode() in admin.rest.send(HttpRequest("GET", path)).body
    except NotFound:
        return False


# ---- comparing -----------------------------------------------------------------------------------


def bare(package: Path) -> dict[str, list[str]]:
    """The lines of each module of a package, without documentation and comments."""
    return {
        str(path.relative_to(package)): _bare(path.read_text("utf-8")).splitlines()
        for path in sorted(package.rglob("*.py"))
    }


def _bare(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )

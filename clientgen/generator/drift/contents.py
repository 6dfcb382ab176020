"""Contents of a generated package: its types with their fields, and its clients' calls.

Read from the text of its modules, in the few forms that the generator writes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from clientgen.generator import python_names
from clientgen.generator.manifest import Manifest

__all__ = ["Contents", "Field", "Type", "contents"]

_MODELS = {"Model", "ModelList"}
_CLIENTS = "async_clients"
_CLIENT_ENDINGS = ("Client", "Collection")


@dataclass(frozen=True, slots=True)
class Field:
    """The type of an attribute as it is written, and whether it has to be given."""

    type: str
    required: bool


@dataclass(frozen=True, slots=True)
class Type:
    """A class: what its objects have by their names on the wire, and whether it is a kind."""

    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    is_kind: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything of one group version."""

    types: Mapping[str, Type]
    calls: Mapping[str, frozenset[str]]
    """The methods of the clients of each kind."""


def contents(
    manifest: Manifest, read: Callable[[str], str | None], differing: Collection[str]
) -> dict[str, Contents]:
    """Return the contents of a package by group version, as far as its files differ.

    Args:
        manifest: of the package.
        read: gives the text of a file.
        differing: the paths of files that are not the same in another package.
    """
    folders = {path.rpartition("/")[0] for path in differing}
    return {
        group_version: _contents(manifest, folder, read)
        for group_version, folder in (manifest.group_versions or {}).items()
        if folder in folders
    }


def _contents(manifest: Manifest, folder: str, read: Callable[[str], str | None]) -> Contents:
    types: dict[str, Type] = {}
    calls: dict[str, frozenset[str]] = {}
    for path in sorted(manifest.files):
        if path.rpartition("/")[0] != folder or not path.endswith(".py"):
            continue
        for statement in _classes(read(path)):
            if _MODELS & set(_bases(statement)):
                types[statement.name] = _type(statement)
            elif path.rpartition("/")[2].startswith(_CLIENTS):
                kind = _kind_of_client(statement)
                calls[kind] = calls.get(kind, frozenset()) | frozenset(_methods(statement))
    calls.pop("", None)
    return Contents(types, calls)


def _classes(text: str | None) -> Iterator[ast.ClassDef]:
    try:
        tree = ast.parse(text or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # what is there is no Python: there is nothing to compare it with
    yield from (node for node in tree.body if isinstance(node, ast.ClassDef))


def _bases(statement: ast.ClassDef) -> Iterator[str]:
    for base in statement.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(named, ast.Name):
            yield named.id


def _type(statement: ast.ClassDef) -> Type:
    fields: dict[str, Field] = {}
    for line in statement.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            name = _keyword(line.value, "name") or python_names.camel(line.target.id)
            fields[name] = Field(ast.unparse(line.annotation), _is_required(line.value))
    is_list = "ModelList" in _bases(statement)
    return Type(fields, is_kind="apiVersion" in fields and "kind" in fields and not is_list)


def _is_required(value: ast.expr | None) -> bool:
    if value is None:
        return True
    if not (isinstance(value, ast.Call) and _called(value) == "field"):
        return False
    return not {"default", "default_factory"} & {keyword.arg for keyword in value.keywords}


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _keyword(value: ast.expr | None, name: str) -> str:
    for keyword in value.keywords if isinstance(value, ast.Call) else ():
        if keyword.arg == name and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return ""


def _kind_of_client(statement: ast.ClassDef) -> str:
    """The kind of `AsyncPodClient`, `AsyncPodCollection`; nothing of that of a group version."""
    ending = next((suffix for suffix in _CLIENT_ENDINGS if statement.name.endswith(suffix)), "")
    return statement.name.removeprefix("Async").removesuffix(ending) if statement.bases else ""


def _methods(statement: ast.ClassDef) -> Iterator[str]:
    for member in statement.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and member.name[0] != "_":
            yield member.name

"""Contents of a generated package: its types with their fields, and its clients' calls.

Read from the text of its modules, in the few forms that the generator writes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from clientgen.generator import python_names
from clientgen.generator.package_manifest import Manifest

_MODELS = {"Model", "ModelList"}
_VIEWS = {"View", "PartOf", "ViewMeta"}
_CLIENTS = "async_clients"
_CLIENT_ENDINGS = ("Client", "Collection")
_OF_GROUP_VERSION = {"AsyncGroupVersionClient", "GroupVersionClient"}
_MANIFEST_ENDING = "Manifest"
_KIND_OF_RESOURCE = 3


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
    namespaced: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Whether the objects of each kind are in namespaces."""
    clients: frozenset[str] = frozenset()
    """The methods of the client of the group version: one for each resource."""


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
    typed_manifests: dict[str, Type] = {}
    calls: dict[str, frozenset[str]] = {}
    namespaced: dict[str, bool] = {}
    clients: set[str] = set()
    for path in sorted(manifest.files):
        if path.rpartition("/")[0] != folder or not path.endswith(".py"):
            continue
        statements = _statements(read(path))
        namespaced.update(_scopes(statements))
        for statement in statements:
            if not isinstance(statement, ast.ClassDef):
                continue
            if _MODELS & set(_bases(statement)):
                types[statement.name] = _type(statement)
            elif _VIEWS & set(_bases(statement)):
                types[statement.name] = _type_of_view(statement)
            elif "TypedDict" in _bases(statement):
                name = statement.name.removesuffix(_MANIFEST_ENDING)
                typed_manifests[name] = _type_of_manifest(statement)
            elif path.rpartition("/")[2].startswith(_CLIENTS):
                kind = _kind_of_client(statement)
                calls[kind] = calls.get(kind, frozenset()) | frozenset(_methods(statement))
                if _OF_GROUP_VERSION & set(_bases(statement)):
                    clients.update(_methods(statement))
    calls.pop("", None)
    # Classes that are imported, as those of Python types, have only typed manifests in the package.
    return Contents({**typed_manifests, **types}, calls, namespaced, frozenset(clients))


def _statements(text: str | None) -> list[ast.stmt]:
    try:
        return ast.parse(text or "").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # what is there is no Python: there is nothing to compare it with


def _scopes(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Read `GIZMOS = Resource("stable.example.com", "v1", "gizmos", "Gizmo", namespaced=True)`."""
    for statement in statements:
        call = statement.value if isinstance(statement, ast.Assign) else None
        if not (isinstance(call, ast.Call) and _called(call) == "Resource"):
            continue
        texts = [part.value for part in call.args if isinstance(part, ast.Constant)]
        in_namespace = [
            keyword.value.value
            for keyword in call.keywords
            if keyword.arg == "namespaced" and isinstance(keyword.value, ast.Constant)
        ]
        if len(texts) > _KIND_OF_RESOURCE and in_namespace:
            yield str(texts[_KIND_OF_RESOURCE]), bool(in_namespace[0])


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


def _type_of_view(statement: ast.ClassDef) -> Type:
    """The type that a view is. Nobody makes one, so that no field has to be given."""
    fields = _type(statement).fields.items()
    return Type({name: Field(field.type, required=False) for name, field in fields})


def _type_of_manifest(statement: ast.ClassDef) -> Type:
    """The type that a typed manifest is of. It does not say which fields have to be given."""
    fields = {
        line.target.id: Field(_without_none(line.annotation), required=False)
        for line in statement.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }
    return Type(fields, is_kind="apiVersion" in fields and "kind" in fields)


def _without_none(annotation: ast.expr) -> str:
    """`str | None` of a manifest as `str`: there, every field may be null."""
    return ast.unparse(annotation).removesuffix(" | None")


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
    of_one = set(_bases(statement)) - _OF_GROUP_VERSION
    return statement.name.removeprefix("Async").removesuffix(ending) if of_one else ""


def _methods(statement: ast.ClassDef) -> Iterator[str]:
    for member in statement.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and member.name[0] != "_":
            yield member.name

"""Packages, read on demand: their resources, types and clients."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from clientgen._gvk import GroupVersion
from clientgen._json import is_array, is_object
from clientgen._problems import ClientgenError, Problem
from clientgen.generator.ir import PythonClass
from clientgen.reference.client_reader import (
    Heads,
    accessors,
    client_classes,
    method_of,
    public_methods,
    resource_lines,
)
from clientgen.reference.modules import META, RUNTIME, VIEWS, Module, Modules
from clientgen.reference.records import Client, ErrorClass, Home, Resource, Type
from clientgen.reference.type_reader import TypeReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clientgen.generator.package_manifest import Manifest
    from clientgen.reference.client_reader import ClientClass, MethodNode
    from clientgen.reference.modules import Found, ReadText
    from clientgen.reference.records import Method

_ROOT_ERROR: Final = "ClientError"
META_V1: Final = GroupVersion("meta", "v1")
_PART: Final = re.compile(r"models(?:_\d+)?")
_VIEWS: Final = "views"
_WAITING: Final = "WaitingClient"
_FLAVOURS: Final = ("_sync", "_async")
_MODELS: Final = frozenset({"Model", "ModelList"})
_AGAIN: Final = "Generate the package again with this version of clientgen."


@dataclass(frozen=True, slots=True)
class PackageText:
    """A generated package: its import name, its manifest, and its files."""

    name: str
    manifest: Manifest
    read: ReadText

    @property
    def homes(self) -> list[Home]:
        """Its group versions, the core group first."""
        folders = self.manifest.group_versions or {}
        versions = sorted(folders, key=GroupVersion.parse)
        return [Home(self.name, GroupVersion.parse(each), folders[each]) for each in versions]


@dataclass(frozen=True, slots=True)
class OtherNames:
    """Names of resources that a package does not hold, by plural and group."""

    short: Mapping[str, tuple[str, ...]]
    singular: Mapping[str, str]


class Api:
    """Generated packages and what they take from other packages and modules."""

    def __init__(
        self, packages: Sequence[PackageText], modules: Modules, names: OtherNames
    ) -> None:
        """Read packages.

        Args:
            packages: the packages; names are looked for in the first one first.
            modules: the modules of these packages and of others.
            names: short names of resources, and singulars.
        """
        self.packages = tuple(packages)
        self._modules = modules
        self._names = names
        self._types: dict[PythonClass, Type | None] = {}
        self._kinds_of: dict[str, dict[str, dict[str, PythonClass]]] = {}
        self._reader = TypeReader(modules)
        self._homes = {home.module: home for each in packages for home in each.homes}
        self._renamed = {
            (package.name, key): name
            for package in packages
            for key, name in package.manifest.names.items()
        }

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        """The resources of all packages; a resource of an earlier package hides later ones."""
        found: dict[tuple[GroupVersion, str], Resource] = {}
        for home in self._homes.values():
            for resource in self.resources_of(home):
                found.setdefault((home.group_version, resource.plural), resource)
        return tuple(found.values())

    def home_of_resource(self, resource: Resource) -> Home:
        """The group version that holds a resource."""
        where = (resource.package, resource.group_version)
        return next(h for h in self._homes.values() if (h.package, h.group_version) == where)

    def resources_of(self, home: Home) -> list[Resource]:
        """The resources of a group version.

        Raises:
            ClientgenError: a module is not Python.
        """
        module = self._modules.get(f"{home.module}.resources")
        kinds = self._kinds(home.package).get(str(home.group_version), {})
        return [
            self._named(
                Resource(
                    home.group_version,
                    line.plural,
                    line.kind,
                    line.namespaced,
                    kinds.get(line.kind),
                    home.package,
                )
            )
            for line in (resource_lines(module) if module else ())
        ]

    def _named(self, resource: Resource) -> Resource:
        key = resource.group_resource
        singular = self._names.singular.get(key, "") or resource.kind.lower()
        short = self._names.short.get(key) or self._marked_short_names(resource)
        return replace(resource, singular=singular, short_names=tuple(short))

    def _marked_short_names(self, resource: Resource) -> tuple[str, ...]:
        """The short names that a marker above the user's own class gives."""
        if resource.type is None or resource.type.module.startswith(f"{resource.package}."):
            return ()
        found = self._modules.find(resource.type.module, resource.type.name)
        for marker in self._reader.markers(found):
            value: object = marker.value
            if marker.name == "resource" and is_object(value):
                names: object = value.get("shortName")
                return tuple(map(str, names)) if is_array(names) else ()
        return ()

    def _kinds(self, package: str) -> dict[str, dict[str, PythonClass]]:
        """The classes of kinds by group version, from the package's `scheme.py`."""
        if package not in self._kinds_of:
            kinds: dict[str, dict[str, PythonClass]] = {}
            for api_version, module, written in self._scheme(package):
                kind, _, renamed = written.partition(":")
                where = f"{package}{module}" if module.startswith(".") else module
                found = self._modules.find(where, renamed or kind)
                kinds.setdefault(api_version, {})[kind] = found.name
            self._kinds_of[package] = kinds
        return self._kinds_of[package]

    def _scheme(self, package: str) -> Iterator[tuple[str, str, str]]:
        """Yield the group version, module and name of each kind that a scheme registers."""
        module = self._modules.get(f"{package}.scheme")
        node = module.aliases.get("_KINDS") if module else None
        try:
            value: object = ast.literal_eval(node) if node is not None else {}
        except (ValueError, TypeError, RecursionError, MemoryError):
            value = None
        if not is_object(value) or not all(map(is_object, value.values())):
            raise ClientgenError([Problem(f"{package}.scheme", "its kinds cannot be read", _AGAIN)])
        for api_version, modules in value.items():
            for name, kinds in modules.items():
                for kind in kinds if is_array(kinds) else ():
                    yield str(api_version), str(name), str(kind)

    def type(self, name: PythonClass) -> Type | None:
        """Return a type; None if its module has no source.

        Raises:
            ClientgenError: its module is not Python.
        """
        if name not in self._types:
            found = self._modules.find(name.module, name.name)
            self._types[name] = self._type(found) if found.node is not None else None
        return self._types[name]

    def _type(self, found: Found) -> Type:
        try:
            fields, item = self._reader.fields(found), self._reader.item(found)
        except RecursionError:
            where = f"{found.name.module}.{found.name.name}"
            what = "a type in it is nested too deeply"
            raise ClientgenError([Problem(where, what, _AGAIN)]) from None
        text, facts = self._reader.text(found)
        home = self.home_of(found.name)
        name = self._api_name(found.name, home)
        constants = {each.name: each.shape.values for each in fields}
        kind, api_version = constants.get("kind", ()), constants.get("apiVersion", ())
        is_kind = len(kind) == len(api_version) == 1 and bool(kind[0] and api_version[0])
        return Type(
            found.name,
            name,
            self._import_from(found.name, home),
            self._group_version(found.name, home),
            fields,
            text,
            facts,
            kind[0] if is_kind else "",
            api_version[0] if is_kind else "",
            item,
        )

    def home_of(self, name: PythonClass) -> Home | None:
        """The group version whose folder holds a class."""
        return self._homes.get(name.module.rpartition(".")[0])

    def _api_name(self, name: PythonClass, home: Home | None) -> str:
        if home is None:
            return name.name
        return self._renamed.get((home.package, f"{home.group_version}/{name.name}"), name.name)

    def _import_from(self, name: PythonClass, home: Home | None) -> str:
        if home is not None:
            is_view = name.module == f"{home.module}.{_VIEWS}"
            return name.module if is_view else home.module
        if name.module != META:
            return self._package_of_class(name.module)
        for package in self.packages:
            if package.read("meta/v1/__init__.py") is not None:
                return f"{package.name}.meta.v1"
        return f"{RUNTIME}.models"

    @staticmethod
    def _package_of_class(module: str) -> str:
        """The module that users import a class of another package from."""
        package, _, last = module.rpartition(".")
        return package if _PART.fullmatch(last) and package else module

    def _group_version(self, name: PythonClass, home: Home | None) -> GroupVersion | None:
        if home is not None:
            return home.group_version
        return META_V1 if name.module == META else None

    def types_of(self, home: Home) -> list[Type]:
        """The types of a group version, in the order of its modules."""
        names = [*self._defined(home), *self._of_user(home), *self._views(home)]
        return [type_ for name in names if (type_ := self.type(name)) is not None]

    def _defined(self, home: Home) -> Iterator[PythonClass]:
        package = self._package(home)
        paths = (path for path in sorted(package.manifest.files) if path.endswith(".py"))
        for path in paths:
            folder, _, file = path.rpartition("/")
            if folder == home.folder and _PART.fullmatch(file.removesuffix(".py")):
                module = self._modules.get(f"{home.module}.{file.removesuffix('.py')}")
                for node in module.classes.values() if module else ():
                    if _MODELS & {_base_name(base) for base in node.bases}:
                        yield PythonClass(module.name if module else "", node.name)

    def _views(self, home: Home) -> Iterator[PythonClass]:
        module = self._modules.get(f"{home.module}.{_VIEWS}")
        for node in module.classes.values() if module else ():
            yield PythonClass(f"{home.module}.{_VIEWS}", node.name)

    def views_of(self, kind: PythonClass) -> Iterator[PythonClass]:
        """Yield the generated views of a kind, in the order of their modules."""
        for home in self._homes.values():
            module = self._modules.get(f"{home.module}.{_VIEWS}")
            for node in module.classes.values() if module else ():
                if module and any(self._names_view(base, module, kind) for base in node.bases):
                    yield PythonClass(module.name, node.name)

    def _names_view(self, base: ast.expr, module: Module, kind: PythonClass) -> bool:
        """Return whether a base class in a module is `View[kind]`."""
        match base:
            case ast.Subscript(value=ast.Name(id=view), slice=ast.Name(id=viewed)):
                found = (self._modules.find(module.name, name).name for name in (view, viewed))
                return tuple(found) == (PythonClass(VIEWS, "View"), kind)
            case _:
                return False

    def _of_user(self, home: Home) -> Iterator[PythonClass]:
        """The classes that the group version imports from modules of the user."""
        module = self._modules.get(home.module)
        for name, place in module.imports.items() if module else ():
            is_own = place.module.startswith((f"{home.package}.", f"{RUNTIME}."))
            if not is_own and not name.startswith("_"):
                found = self._modules.find(place.module, place.name)
                if found.node is not None:
                    yield found.name

    def _package(self, home: Home) -> PackageText:
        return next(each for each in self.packages if each.name == home.package)

    def has(self, home: Home, file: str) -> bool:
        """Whether a group version has a file."""
        return self._package(home).read(f"{home.folder}/{file}") is not None

    def clients_of(self, home: Home) -> list[Client]:
        """The clients of a group version."""
        sync = self._modules.get(f"{home.module}.clients")
        twin = self._modules.get(f"{home.module}.async_clients")
        lines = self._modules.get(f"{home.module}.resources")
        if sync is None or twin is None or lines is None:
            return []
        constants = {line.plural: line.constant for line in resource_lines(lines)}
        reader = _ClientReader(self._modules, sync, twin)
        return [
            self._with_caches(client, home)
            for resource in self.resources_of(home)
            if (client := reader.client(resource, constants[resource.plural], self._accessor(home)))
        ]

    def _accessor(self, home: Home) -> str:
        """The attribute of the clientset that returns the group version's client."""
        module = self._modules.get(f"{home.package}.clientset")
        imported = f"{home.folder.replace('/', '.')}.clients"
        for node in module.classes.values() if module else ():
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and imported in _modules_imported(each):
                    return each.name
        return ""

    def _with_caches(self, client: Client, home: Home) -> Client:
        """The client, with its lister, its informer and its selectable fields."""
        listers = self._modules.get(f"{home.module}.listers")
        informers = self._modules.get(f"{home.module}.informers")
        resource = client.resource
        name = resource.type.name if resource.type else resource.kind
        lister, informer = f"{name}Lister", f"{name}Informer"
        return replace(
            client,
            lister=lister if listers and lister in listers.classes else "",
            informer=informer if informers and informer in informers.classes else "",
            selectable=tuple(self._selectable(home, resource)),
        )

    def _selectable(self, home: Home, resource: Resource) -> Iterator[tuple[str, str]]:
        """The paths of fields for field selectors, and their names in `fields`."""
        module = self._modules.get(f"{home.package}.fields")
        accessor = self._accessor(home)
        group = module.classes.get(accessor) if module else None
        names = {resource.kind, resource.type.name if resource.type else ""}
        for kind in group.body if group else ():
            if isinstance(kind, ast.ClassDef) and kind.name in names:
                for name, path in _assigned_paths(kind):
                    yield path, f"fields.{accessor}.{kind.name}.{name}"

    def errors(self) -> list[ErrorClass]:
        """The exceptions that calls of all clients raise, base classes first."""
        module = self._modules.get(f"{RUNTIME}.errors")
        known = {_ROOT_ERROR}
        found: list[ErrorClass] = []
        for node in module.classes.values() if module else ():
            bases = tuple(map(_base_name, node.bases))
            if known & set(bases):
                known.add(node.name)
                found.append(ErrorClass(node.name, bases, ast.get_docstring(node) or ""))
        return found

    def typed_manifest(self, type_: Type) -> tuple[str, str]:
        """The class of typed manifests of a type, and its source; empty if there is none."""
        home = self.home_of(type_.id)
        where = home.module if home else type_.import_from
        if type_.id.module == META:
            module = self._modules.get(f"{RUNTIME}.manifests")
        else:
            module = self._modules.get(f"{where}.manifests")
        name = f"{type_.id.name}Manifest"
        node = module.classes.get(name) if module else None
        return (f"{module.name}.{name}", ast.unparse(node)) if module and node else ("", "")

    def reachable(self, start: Iterable[Type]) -> list[Type]:
        """The types, and all types that their fields lead to, each once."""
        found: dict[PythonClass, Type] = {}
        waiting = list(start)
        while waiting:
            type_ = waiting.pop(0)
            if type_.id in found:
                continue
            found[type_.id] = type_
            names = [each.shape.type for each in type_.fields]
            names += [piece.type for each in type_.fields for piece in each.shape.python]
            for name in dict.fromkeys(filter(None, names)):
                other = self.type(name) if name not in found else None
                if other is not None:
                    waiting.append(other)
        return list(found.values())


def _modules_imported(function: ast.FunctionDef) -> set[str]:
    """The modules that a function imports from."""
    lines = (line for line in function.body if isinstance(line, ast.ImportFrom))
    return {line.module for line in lines if line.module}


def _assigned_paths(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Read `spec_node_name = SelectableField("spec.nodeName")`."""
    for line in node.body:
        match line:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(args=[ast.Constant(value=str() as path)]),
            ):
                yield name, path
            case _:
                pass


def _base_name(base: ast.expr) -> str:
    written = base.value if isinstance(base, ast.Subscript) else base
    return written.id if isinstance(written, ast.Name) else ""


class _ClientReader:
    """Reads the clients of one group version."""

    def __init__(self, modules: Modules, sync: Module, twin: Module) -> None:
        self._modules = modules
        self._sources = (sync, twin)
        self._heads = (Heads(sync, modules), Heads(twin, modules))
        self._classes = list(client_classes(sync))
        self._twins = {each.name: each for each in client_classes(twin)}
        self._accessors = accessors(sync)

    def client(self, resource: Resource, constant: str, version_accessor: str) -> Client | None:
        """The client of a resource; None if the package has none."""
        own = [each for each in self._classes if each.constant == constant]
        names = {each.name.removesuffix("Collection").removesuffix("Client") for each in own}
        classes = [each for each in self._classes if _stem(each) in names]
        clients = [each for each in classes if not each.is_collection]
        if not clients:
            return None
        methods = [
            method_of(node, twin, self._heads, everywhere=each.is_collection)
            for each in sorted(classes, key=lambda each: not each.is_collection)
            for node, twin in self._pairs(each)
        ]
        methods += [*self._waiting(clients[0], resource), *self._own(clients[0])]
        name = clients[0].name
        accessor = self._accessors.get(name, "")
        if not accessor:
            accessor = self._accessors.get(f"{_stem(clients[0])}Collection", "")
        return Client(resource, version_accessor, accessor, name, tuple(methods))

    def _waiting(self, client: ClientClass, resource: Resource) -> Iterator[Method]:
        """The methods of the runtime's clients of kinds that can be waited for."""
        if _WAITING not in client.bases or resource.type is None:
            return
        known = {"T": resource.type}
        sync, twin = (self._modules.get(f"{RUNTIME}.{each}.waiting_client") for each in _FLAVOURS)
        if sync is not None and twin is not None:
            heads = Heads(sync, self._modules, known), Heads(twin, self._modules, known)
            twins = {each.name: each for each in public_methods(twin.classes[f"Async{_WAITING}"])}
            for node in public_methods(sync.classes[_WAITING]):
                yield method_of(node, twins[node.name], heads, everywhere=True)

    def _own(self, client: ClientClass) -> Iterator[Method]:
        """The methods of the user's expansion of a client."""
        sync, twin = self._sources
        for base in client.bases:
            found = self._modules.find(sync.name, base)
            other = self._modules.find(twin.name, f"Async{base}")
            modules = found.module, other.module
            if found.node and other.node and modules[0] and modules[1]:
                if modules[0].is_generated:
                    continue
                heads = Heads(modules[0], self._modules), Heads(modules[1], self._modules)
                twins = {each.name: each for each in public_methods(other.node)}
                for node in public_methods(found.node):
                    if node.name in twins:
                        pair = node, twins[node.name]
                        yield method_of(*pair, heads, everywhere=False, own=True)

    def _pairs(self, each: ClientClass) -> Iterator[tuple[MethodNode, MethodNode]]:
        twin = self._twins.get(f"Async{each.name}")
        twins = {node.name: node for node in twin.methods} if twin else {}
        for node in each.methods:
            if node.name in twins:
                yield node, twins[node.name]


def _stem(each: ClientClass) -> str:
    return each.name.removesuffix("Collection").removesuffix("Client")

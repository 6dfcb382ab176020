"""Records of a plan: files, classes, methods and their Python names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import (
    META_MANIFESTS,
    META_MODULE,
    ModelId,
    PythonClass,
    Resource,
    TypeRef,
)
from clientgen.generator.sources.used_packages import is_shared


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A name and the module it is defined in. Modules of the package itself start with a dot."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """An attribute. `default` says how absence is written.

    It is one of required, none, auto, json, list, dict, "unset list" or "unset dict" where servers
    put a default, and "unset zero" where they leave out a zero.
    """

    attribute: str
    wire_name: str
    type: TypeRef
    default: str
    description: str

    @property
    def named(self) -> bool:
        """Whether the wire name has to be written out."""
        return python_names.camel(self.attribute) != self.wire_name


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A class. `item` is set on lists, `api_version` and `kind` on what manifests hold."""

    name: str
    summary: str
    fields: tuple[FieldPlan, ...]
    api_version: str = ""
    kind: str = ""
    item: ModelId | None = None
    sensitive: tuple[str, ...] = ()
    open_ended: bool = False
    partial: tuple[str, ...] = ()
    """Attributes in which objects may lack what their class requires."""


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """The class of a view, or of a part of an object. The metadata of views has no model here."""

    name: str
    of: ModelId | None
    is_view: bool
    fields: tuple[FieldPlan, ...]


@dataclass(frozen=True, slots=True)
class MethodPlan:
    """A method of a client: `shape` is the template that writes it."""

    shape: str
    name: str
    model: ModelId
    input: ModelId | None = None
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class ResourcePlan:
    """The constant that says which endpoint a resource is."""

    constant: str
    resource: Resource


@dataclass(frozen=True, slots=True)
class ClientPlan:
    """The client of a resource. `collection` is what works without a namespace, if anything."""

    resource: Resource
    name: str
    collection: str
    constant: str
    accessor: str
    """The method that hands it out."""
    reads: tuple[MethodPlan, ...]
    methods: tuple[MethodPlan, ...]
    expansion: Symbol | None = None
    """The user's own methods, mixed in."""
    waits: bool = False
    """Whether its objects can be waited for."""


@dataclass(frozen=True, slots=True)
class AccessorPlan:
    """The method of a group version client that returns the client of a resource."""

    name: str
    client: str
    collection: str
    namespaced: bool
    kind: str


@dataclass(frozen=True, slots=True)
class ListerPlan:
    """The lister of a kind, with the user's own methods mixed in, if any."""

    resource: Resource
    name: str
    constant: str
    expansion: Symbol | None = None
    of_namespace: str = ""
    """The class for one namespace; without methods of the user the runtime's does."""
    namespace_expansion: Symbol | None = None


@dataclass(frozen=True, slots=True)
class InformerPlan:
    """The informer of a kind, and the factory's method that returns it."""

    resource: Resource
    list_model: ModelId
    name: str
    accessor: str
    constant: str
    lister: str
    """Its class beside it; without one the runtime's does."""


@dataclass(frozen=True, slots=True)
class GroupVersionPlan:
    """A group version on a clientset or a factory; `of` is the class that the attribute returns."""

    group_version: GroupVersion
    accessor: str
    of: str
    module: str


@dataclass(frozen=True, slots=True)
class KindsPlan:
    """The kinds of an API version, as manifests call both."""

    api_version: str
    modules: Mapping[str, tuple[str, ...]]
    """Their names by the module of the classes; `Kind:Class` where a class has another name."""


@dataclass(frozen=True, slots=True)
class FieldsPlan:
    """The selectable fields of the kinds of a group version."""

    accessor: str
    of: str
    kinds: Mapping[str, Mapping[str, str]]
    """By class the path of each field, by its attribute."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: its path in the package, its template, and the values for the template."""

    path: str
    template: str
    docstring: str
    source: str
    defines: tuple[str, ...] = ()
    models: tuple[ModelPlan, ...] = ()
    resources: tuple[ResourcePlan, ...] = ()
    clients: tuple[ClientPlan, ...] = ()
    accessors: tuple[AccessorPlan, ...] = ()
    listers: tuple[ListerPlan, ...] = ()
    informers: tuple[InformerPlan, ...] = ()
    group_versions: tuple[GroupVersionPlan, ...] = ()
    kinds: tuple[KindsPlan, ...] = ()
    resource_modules: Mapping[str, str] = field(default_factory=dict[str, str])
    """By API version the module with the constants of its resources."""
    fields: tuple[FieldsPlan, ...] = ()
    views: tuple[ViewPlan, ...] = ()
    reexports: tuple[Symbol, ...] = ()
    of: str = ""
    """The class that hands out what is in the file."""
    api_version: str = ""
    late: frozenset[str] = frozenset()
    """Modules that import this one back: their names are imported at the end."""
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    """For a part of the models: the modules beside it, by the classes that they define."""

    @property
    def module(self) -> str:
        """The module it is, seen from the package: `.core.v1.models`."""
        return "." + self.path.removesuffix(".py").replace("/", ".")

    def resolved(self, symbol: Symbol) -> Symbol:
        """Return the symbol this file imports; parts of the models import from each other."""
        folder = self.module.rpartition(".")[0]
        whole = {f"{folder}.models", f"{folder}.manifests"}
        if symbol.module not in whole or symbol.name not in self.parts:
            return symbol
        return Symbol(f"{folder}.{self.parts[symbol.name]}", symbol.name)


@dataclass(frozen=True, slots=True)
class Modules:
    """The modules of the models of each group version."""

    packages: dict[str, str] = field(default_factory=dict[str, str])
    imported: Mapping[ModelId, PythonClass] = field(default_factory=dict[ModelId, PythonClass])
    names: python_names.ChosenNames = field(default_factory=python_names.ChosenNames)
    left_out: frozenset[ModelId] = frozenset()
    """Classes of kinds that are not selected."""
    packaged: frozenset[ModelId] = frozenset()
    """Those that packages in use have manifests of."""
    own: frozenset[ModelId] = frozenset()
    """Those that the user wrote and whose manifests are generated."""
    lists: frozenset[ModelId] = frozenset()
    """Lists of kinds, which have no manifests."""
    views: Mapping[ModelId, tuple[str, ...]] = field(default_factory=dict[ModelId, tuple[str, ...]])
    """The classes of views and their parts, with the path of each: the view, and the fields."""

    def package(self, group_version: GroupVersion) -> str:
        """The folder of a group version: `apps/v1`."""
        version = python_names.version_module(group_version.version)
        return f"{self.packages[group_version.group]}/{version}"

    def is_elsewhere(self, model: ModelId) -> bool:
        """Return whether the class is in no module of this package."""
        return is_shared(model) or model in self.imported

    def symbol(self, model: ModelId) -> Symbol:
        """Return the module and name that a model is imported from."""
        if model in self.views:
            folder = self.package(model.group_version).replace("/", ".")
            return Symbol(f".{folder}.views", model.name)
        if is_shared(model):
            return Symbol(META_MODULE, python_names.class_name(model.name))
        python_class = self.imported.get(model)
        if python_class:
            return Symbol(python_class.module, python_class.name)
        package = self.package(model.group_version).replace("/", ".")
        return Symbol(f".{package}.models", self.class_name(model))

    def manifest(self, model: ModelId) -> Symbol | None:
        """The module and name of a model's manifest; None if it has none."""
        if model in self.lists:
            return None
        symbol = self.symbol(model)
        name = python_names.manifest_class(symbol.name)
        if is_shared(model):
            return Symbol(META_MANIFESTS, name)
        if model in self.own or model not in self.imported:
            package = self.package(model.group_version).replace("/", ".")
            return Symbol(f".{package}.manifests", name)
        home = symbol.module.rpartition(".")[0]
        return Symbol(f"{home}.manifests", name) if model in self.packaged else None

    def class_name(self, model: ModelId) -> str:
        """The class a model becomes."""
        return self.names.class_name(model.group_version, model.name)

    def kind_name(self, resource: Resource) -> str:
        """Return the prefix of a resource's classes: its client, its lister, its informer."""
        return self.names.class_name(resource.group_version, resource.kind)


def shown(group_version: GroupVersion) -> str:
    """Return a group version as texts show it: the core group is called `core`."""
    return f"{group_version.group or 'core'}/{group_version.version}"


def mixin(name: str, prefix: str = "") -> Symbol | None:
    """Return the class that `module:Class` names; asyncio takes the class with the prefix Async."""
    module, _, class_ = name.partition(":")
    return Symbol(module, prefix + class_) if name else None


def check_distinct(
    named: Iterable[tuple[str, str]], where: str, what: str, problems: Problems
) -> None:
    """Report each Python name that two things of the API would share.

    Args:
        named: the Python name and what the API calls it.
        where: what they are part of.
        what: what they are, in the plural.
        problems: takes the reports.
    """
    sources: dict[str, list[str]] = {}
    for name, source in named:
        sources.setdefault(name, []).append(source)
    for name, clashing in sources.items():
        if len(clashing) > 1:
            listed = ", ".join(map(repr, clashing))
            hint = "Rename or leave out all but one of them."
            problems.add(where, f"the {what} {listed} would all be called {name!r}", hint)

"""The kinds a program knows, from any number of packages: their classes and their resources.

::

    scheme = Scheme()
    kubeapi.add_to_scheme(scheme)
    crontabs.add_to_scheme(scheme)

    objects = scheme.load(Path("deploy"))
    print(scheme.dump(objects))
    scheme.resource(Deployment)      # which endpoint serves a kind

client-go: runtime.Scheme, its registry and its decoders; there are no conversions between versions.
Reading is kubectl's: YAML 1.1 as Go reads it, documents divided by `---`, lists taken apart.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

import msgspec

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._http.resource import Resource
from .._models.arguments import named
from .._models.list_classes import item_class, new_list_class
from .._models.meta_v1 import ModelList
from .._models.model import Model
from .._models.unstructured import Unstructured
from .resource_registry import ResourceRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from .._models.manifest_writer import Written
    from .manifest_documents import Manifest, ManifestError

__all__ = ["Scheme", "Unstructured", "scheme_of"]

M = TypeVar("M", bound=Model)


class Scheme:
    """A registry of kinds and their classes.

    Packages are added by their `add_to_scheme`; their modules are imported when one of their kinds
    is needed first. Any number of threads may share a scheme that nobody adds to any more.
    """

    def __init__(self) -> None:
        self._kinds: dict[GroupVersionKind, _Place] = {}
        self._resources = ResourceRegistry()
        self.known_resources: dict[object, Resource] = {}
        """The resources that were asked for, by what was asked."""
        self._lists: dict[type[Model], type[ModelList[Any]]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._kinds)} kinds>"

    # ---- the registry -------------------------------------------------------------------------

    def add_kinds(self, kinds: Mapping[str, Mapping[str, Sequence[str]]], module: str) -> None:
        """Register kinds of a package by name; what the generated `add_to_scheme` calls.

        Args:
            kinds: by API version and the module of their classes: the names of kinds, or
                `Kind:Class` where a class is called otherwise.
            module: what says this; names of modules that start with a dot are beside it.

        Raises:
            ValueError: a kind is registered with another class.
        """
        package = module.rpartition(".")[0]
        for api_version, modules in kinds.items():
            group_version = GroupVersion.parse(api_version)
            for where, names in modules.items():
                home = f"{package}{where}" if where.startswith(".") else where
                for name in names:
                    kind, _, class_name = name.partition(":")
                    self._add(group_version.with_kind(kind), _Place(home, class_name or kind))

    def add_resources(self, modules: Mapping[str, str], module: str) -> None:
        """Register resources of a package; what the generated `add_to_scheme` calls.

        Args:
            modules: by API version the module with its `Resource` constants. It is imported when a
                resource of the API version is asked for.
            module: what says this; names of modules that start with a dot are beside it.
        """
        self._resources.add_modules(modules, module)

    @overload
    def register(self, model: type[M], *, plural: str = ..., namespaced: bool = ...) -> type[M]: ...
    @overload
    def register(self, *, plural: str, namespaced: bool = ...) -> Callable[[type[M]], type[M]]: ...
    def register(
        self, model: type[M] | None = None, *, plural: str = "", namespaced: bool = True
    ) -> type[M] | Callable[[type[M]], type[M]]:
        """Register a class that was written by hand; may be used as a decorator.

        Which kind it is of, its fields `apiVersion` and `kind` say: they are `constant`.

            scheme.register(CronTab, plural="crontabs")

            @scheme.register(plural="crontabs")
            class CronTab(CustomResource, group="stable.example.com", version="v1"): ...

        Args:
            model: the class.
            plural: the name of the resource in URLs, as in the CustomResourceDefinition. Without
                it, the class is known to manifests, and a server cannot be asked for its objects.
            namespaced: whether the objects live in namespaces.

        Raises:
            TypeError: `apiVersion` or `kind` are not constant, or not there.
            ValueError: the kind is registered with another class or resource, or the plural is not
                a name.
        """
        if model is None:
            return lambda decorated: self.register(decorated, plural=plural, namespaced=namespaced)
        gvk = _gvk_of(model)
        self._add(gvk, _Place(model.__module__, model.__qualname__, model))
        if plural:
            self._resources.add(
                Resource(gvk.group, gvk.version, plural, gvk.kind, namespaced=namespaced)
            )
        return model

    def _add(self, gvk: GroupVersionKind, place: _Place) -> None:
        existing = self._kinds.setdefault(gvk, place)
        # Two names may be one class; only whoever seems to contradict pays for finding out.
        if existing != place and existing.load() is not place.load():
            raise ValueError(
                f"{gvk} is already registered as {existing}; it cannot also be {place}"
            )

    def model(self, gvk: GroupVersionKind | str) -> type[Model]:
        """The class of a kind.

        Args:
            gvk: the kind; or text as `v1/Pod`, `apps/v1/Deployment`.

        Raises:
            LookupError: it is not registered; the message says what is like it.
        """
        wanted = _parsed(gvk) if isinstance(gvk, str) else gvk
        place = self._kinds.get(wanted)
        if place is None:
            raise LookupError(self._unknown(wanted))
        return place.load()

    def resource(self, kind: type[Model] | GroupVersionKind | str) -> Resource:
        """The resource that serves a kind: its plural, and whether it is namespaced.

        Args:
            kind: a class; or the kind; or text as `v1/Pod`, `apps/v1/Deployment`.

        Raises:
            LookupError: it is not registered, or no server has objects of it; the message says what
                to do.
            TypeError: the class is of no kind.
        """
        found = self.known_resources.get(kind)
        if found is None:
            found = self._find_resource(kind)
            if not hasattr(kind, "__model__"):  # hidden variants are not remembered
                self.known_resources[kind] = found
        return found

    def _find_resource(self, kind: type[Model] | GroupVersionKind | str) -> Resource:
        gvk = _gvk(kind)
        found = self._resources.find(gvk)
        if found is None:
            raise LookupError(self._unserved(gvk))
        return found

    def _unserved(self, gvk: GroupVersionKind) -> str:
        """Say why there is no resource of a kind, and what to do."""
        place = self._kinds.get(gvk)
        if place is None:
            return (
                f"{self._unknown(gvk)}; add its package to the scheme of the clientset"
                f" (`{_package_with(gvk)}.add_to_scheme(k.scheme)`), register your own class"
                f' (`k.scheme.register({gvk.kind}, plural="...")`), generate a package with it, or'
                " use `dynamic` of the clientset"
            )
        if issubclass(place.load(), ModelList):
            return f"{gvk} is a list: ask for {gvk.kind.removesuffix('List')}"
        return (
            f"{gvk} has no resource: servers keep no objects of this kind. For your own class,"
            f' write `k.scheme.register({gvk.kind}, plural="...")`'
        )

    def list_model(self, model: type[M]) -> type[ModelList[M]]:
        """The class of lists of a model: that of its package, or one that is made for it.

        Raises:
            TypeError: the class is of no kind.
        """
        found = self._lists.get(model)
        if found is None:
            found = self._lists[model] = self._find_list_model(model)
        return found

    def _find_list_model(self, model: type[Model]) -> type[ModelList[Any]]:
        gvk = _gvk_of(model)
        kind = f"{gvk.kind}List"
        place = self._kinds.get(gvk.group_version.with_kind(kind))
        if place is not None:
            registered = place.load()
            if item_class(registered) is model:
                return cast("type[ModelList[Any]]", registered)
        return new_list_class(model, gvk.group_version.api_version, kind)

    def kinds(self) -> list[GroupVersionKind]:
        """All kinds that are registered, in order."""
        return sorted(self._kinds)

    def __contains__(self, gvk: object) -> bool:
        return (_parsed(gvk) if isinstance(gvk, str) else gvk) in self._kinds

    def _unknown(self, gvk: GroupVersionKind) -> str:
        return f"the kind {gvk} is not registered{self._like(gvk)}"

    def _like(self, gvk: GroupVersionKind) -> str:
        """Return a hint with similar kinds: the same kind elsewhere, else a similar name."""
        similar = [str(kind) for kind in self.kinds() if kind.kind == gvk.kind]
        if not similar:
            from difflib import get_close_matches  # only messages need it

            by_kind = {e.kind: str(e) for e in self.kinds() if e.group_version == gvk.group_version}
            similar = [by_kind[kind] for kind in get_close_matches(gvk.kind, by_kind, 1)]
        return f"; did you mean {' or '.join(similar)}?" if similar else ""

    # ---- reading ------------------------------------------------------------------------------

    @overload
    def load(self, source: str | bytes | Path, *, strict: bool = ...) -> list[Model]: ...
    @overload
    def load(
        self, source: str | bytes | Path, *, strict: bool = ..., unknown: Literal["refuse"]
    ) -> list[Model]: ...
    @overload
    def load(
        self, source: str | bytes | Path, *, strict: bool = ..., unknown: Literal["keep"]
    ) -> list[Model | Unstructured]: ...
    def load(
        self,
        source: str | bytes | Path,
        *,
        strict: bool = False,
        unknown: Literal["refuse", "keep"] = "refuse",
    ) -> Any:
        """Read the objects of YAML or JSON documents.

        Lists (`kind: List`, `PodList` and so on) are taken apart; documents with nothing in them
        are left out. As by Go, null is what is absent, and a required field that is missing is
        zero. Fields that a class does not know are kept and written again.

        Args:
            source: a string or bytes with the documents, or a Path: a file, or a folder, of which
                all .yaml, .yml and .json files are read in the order of their names.
            strict: refuse fields that a class does not know and required ones that are missing.
            unknown: what becomes of kinds that are not registered: they are errors, or kept as
                `Unstructured`.

        Raises:
            ManifestError: with everything that is wrong, each with its document, line and field.
            TypeError: `source` is not a string, bytes or a Path.
        """
        from .manifest_documents import check_source, documents

        check_source(source)
        found = self._located(documents(source), strict=strict, keep=unknown == "keep")
        return [obj for _, obj in found]

    def _located(
        self, found: Iterable[Manifest], *, strict: bool, keep: bool
    ) -> list[tuple[Manifest, Model | Unstructured]]:
        """Read the objects of documents; each with its place. See `load`."""
        from .manifest_documents import ManifestError, split_lists

        objects: list[tuple[Manifest, Model | Unstructured]] = []
        problems: list[str] = []
        try:
            for document in found:
                for manifest in split_lists(document, self._is_list):
                    obj = self._read(manifest, strict, keep)
                    if isinstance(obj, ManifestError):
                        problems.append(str(obj))
                    else:
                        objects.append((manifest, obj))
        except ManifestError as error:  # a text that breaks off; what stood before is told too
            problems.append(str(error))
        if problems:
            raise ManifestError("\n".join(problems))
        return objects

    def _is_list(self, value: Mapping[str, Any]) -> bool:
        """Tell whether an object whose kind ends in List is a list; its class decides, if known."""
        place = self._kinds.get(_gvk_in(value))
        return place is None or issubclass(place.load(), ModelList)

    def _read(
        self, manifest: Manifest, strict: bool, keep: bool
    ) -> Model | Unstructured | ManifestError:
        from .manifest_documents import ManifestError

        try:
            return self._object(manifest, strict, keep)
        except ManifestError as error:
            return error

    def _object(self, manifest: Manifest, strict: bool, keep: bool) -> Model | Unstructured:
        from .._models.model_codec import from_dict
        from .manifest_documents import ManifestError
        from .type_errors import type_mismatches

        manifest.check()
        gvk = _gvk_in(manifest.value)
        place = self._kinds.get(gvk)
        if place is None:
            if keep:
                return Unstructured(manifest.value)
            raise ManifestError(f"{manifest.where}: {self._unknown(gvk)}")
        model = place.load()
        mistakes = list(type_mismatches(manifest.value, model, strict=strict))
        if mistakes:
            name = f"{gvk.kind} {Unstructured(manifest.value).name}".rstrip()
            messages = [f"{manifest.at(mistake.path)}: {name}: {mistake}" for mistake in mistakes]
            raise ManifestError("\n".join(messages))
        return from_dict(model, manifest.value)

    # ---- writing ------------------------------------------------------------------------------

    def dump(self, objects: Written | Iterable[Written], *, server_fields: bool = True) -> str:
        """Write objects as YAML documents, as `to_yaml` of `clientgen.runtime.models` does.

        Args:
            objects: one object, or several; models, or dicts such as `Unstructured`.
            server_fields: whether to write what servers set.

        Raises:
            TypeError: an object has no kind.
            ValueError: a datetime has no zone.
        """
        from .._models.manifest_writer import to_yaml

        return to_yaml(objects, server_fields=server_fields)

    def dump_json(self, objects: Written | Iterable[Written], *, server_fields: bool = True) -> str:
        """Write one object, or several as a `List`, as JSON; see `dump`."""
        from .._models.manifest_writer import json_values

        is_single = isinstance(objects, (Model, Mapping))
        values = json_values(objects, server_fields)
        value = values[0] if is_single else {"apiVersion": "v1", "kind": "List", "items": values}
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def scheme_of(modules: Iterable[str | None]) -> Scheme:
    """Make a scheme of the kinds of generated packages, by a module beside the `scheme` of each."""
    scheme = Scheme()
    for module in filter(None, modules):
        import_module(".scheme", module.rpartition(".")[0]).add_to_scheme(scheme)
    return scheme


class _Place(msgspec.Struct):
    """The location of a class, and the class once it is loaded."""

    module: str
    name: str
    loaded: type[Model] | None = None

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and str(self) == str(other) and self._agrees(other)

    __hash__ = None  # type: ignore[assignment]

    def _agrees(self, other: _Place) -> bool:
        return self.loaded is other.loaded or self.loaded is None or other.loaded is None

    def load(self) -> type[Model]:
        """The class; its module is imported the first time."""
        if self.loaded is None:
            self.loaded = cast("type[Model]", getattr(import_module(self.module), self.name))
        return self.loaded


def _gvk(kind: type[Model] | GroupVersionKind | str) -> GroupVersionKind:
    if isinstance(kind, GroupVersionKind):
        return kind
    if isinstance(kind, str):
        return _parsed(kind)
    _check_class(kind)
    return _gvk_of(kind)


def _check_class(kind: object) -> None:
    given = kind
    if not isinstance(kind, type) or not issubclass(kind, Model):
        raise TypeError(f"a kind is a class of objects, such as Pod, not {named(given)}")


def _package_with(gvk: GroupVersionKind) -> str:
    """Return the name of a generated package with a kind that the program has imported."""
    for name, module in list(sys.modules.items()):
        if "." not in name and "add_to_scheme" in getattr(module, "__all__", ()):
            scheme = Scheme()
            module.add_to_scheme(scheme)
            if gvk in scheme:
                return name
    return "PACKAGE"


def _parsed(text: str) -> GroupVersionKind:
    api_version, _, kind = text.rpartition("/")
    return GroupVersion.parse(api_version).with_kind(kind)


def _gvk_in(value: Mapping[str, Any]) -> GroupVersionKind:
    return GroupVersion.parse(str(value.get("apiVersion"))).with_kind(str(value.get("kind")))


def _gvk_of(model: type[Model]) -> GroupVersionKind:
    wires = zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
    attributes = {wire: attribute for attribute, wire in wires}
    names: list[str] = []
    for name in ("apiVersion", "kind"):
        value = model.__constants__.get(attributes.get(name, ""))
        if not isinstance(value, str) or not value:
            raise TypeError(f"{model.__name__} has no kind: its {name} is not a `constant`")
        names.append(value)
    return _parsed("/".join(names))

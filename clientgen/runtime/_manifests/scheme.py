"""The registry of kinds: their classes and resources, from any number of packages.

::

    scheme = Scheme()
    kubeapi.add_to_scheme(scheme)
    crontabs.add_to_scheme(scheme)

    objects = scheme.load(Path("deploy"))
    print(scheme.dump(objects))
    scheme.resource(Deployment)      # which endpoint serves a kind

A `Scheme` is the registry and the decoders of client-go's runtime.Scheme, without conversions
between versions. It reads manifests as kubectl does: YAML 1.1 with Go's rules, documents separated
by `---`, lists split into their items.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

import msgspec

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._http.resource import Resource
from .._models.argument_errors import public_attributes
from .._models.arguments import check_has_kind, type_of
from .._models.list_classes import item_class, new_list_class
from .._models.meta_v1 import ModelList
from .._models.model import Model
from .._models.model_info import viewed_model
from .._models.unstructured import Typed, Unstructured
from .resource_registry import ResourceRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from .._models.manifest_writer import Written
    from .manifest_documents import Manifest, ManifestError, ManifestText

__all__ = ["Scheme", "Unstructured", "scheme_of"]

M = TypeVar("M", bound=Model)
TypedT = TypeVar("TypedT", bound=Typed)


class Scheme:
    """A registry of kinds and their classes.

    `add_to_scheme` of a package adds its kinds. The modules of the package are imported when one of
    their kinds is needed. Threads may share a scheme after the last kind was added.
    """

    def __init__(self) -> None:
        self._kinds: dict[GroupVersionKind, _Place] = {}
        self._resources = ResourceRegistry()
        self.known_resources: dict[object, Resource] = {}
        """A cache of the results of `resource`, by argument."""
        self._lists: dict[type[Any], type[ModelList[Any]]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._kinds)} kinds>"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self, "known_resources")

    # ---- the registry -------------------------------------------------------------------------

    def add_kinds(self, kinds: Mapping[str, Mapping[str, Sequence[str]]], module: str) -> None:
        """Register kinds of a package by name. The generated `add_to_scheme` calls this.

        Args:
            kinds: the names of kinds by API version and by the module of their classes; a name is
                `Kind:Class` if the class is not named after the kind.
            module: the registering module. Names that start with a dot are relative to its package.

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
                    self._register_kind(
                        group_version.with_kind(kind), _Place(home, class_name or kind)
                    )

    def add_resources(self, modules: Mapping[str, str], module: str) -> None:
        """Register resources of a package. The generated `add_to_scheme` calls this.

        Args:
            modules: for each API version, the module with its `Resource` constants. It is imported
                when a resource of the API version is needed.
            module: the registering module. Names that start with a dot are relative to its package.
        """
        self._resources.add_modules(modules, module)

    @overload
    def register(self, model: type[M], *, plural: str = ..., namespaced: bool = ...) -> type[M]: ...
    @overload
    def register(self, *, plural: str, namespaced: bool = ...) -> Callable[[type[M]], type[M]]: ...
    def register(
        self, model: type[M] | None = None, *, plural: str = "", namespaced: bool = True
    ) -> type[M] | Callable[[type[M]], type[M]]:
        """Register a hand-written class. Also works as a decorator.

        The `constant` fields `apiVersion` and `kind` of the class determine its kind.

            scheme.register(CronTab, plural="crontabs")

            @scheme.register(plural="crontabs")
            class CronTab(CustomResource, group="stable.example.com", version="v1"): ...

        Args:
            model: the class.
            plural: the name of the resource in URLs, as in the CustomResourceDefinition. Without
                it, the class can be used in manifests, but not in requests.
            namespaced: whether the objects are namespaced.

        Raises:
            TypeError: the class has no `constant` fields `apiVersion` and `kind`.
            ValueError: the kind is registered with another class or resource, or the plural is not
                a name.
        """
        if model is None:
            return lambda decorated: self.register(decorated, plural=plural, namespaced=namespaced)
        gvk = _gvk_of(model)
        self._register_kind(gvk, _Place(model.__module__, model.__qualname__, model))
        if plural:
            self._resources.add(
                Resource(gvk.group, gvk.version, plural, gvk.kind, namespaced=namespaced)
            )
        return model

    def _register_kind(self, gvk: GroupVersionKind, place: _Place) -> None:
        existing = self._kinds.setdefault(gvk, place)
        # Two names may be of the same class. Comparing the classes imports both modules, so it is
        # done only if the names differ.
        if existing != place and existing.load() is not place.load():
            raise ValueError(
                f"{gvk} is already registered as {existing}, so {place} cannot be registered"
            )

    def model(self, gvk: GroupVersionKind | str) -> type[Model]:
        """Return the class of a kind.

        Args:
            gvk: the kind, also as a string: `v1/Pod`, `apps/v1/Deployment`.

        Raises:
            LookupError: the kind is not registered. The message has similar kinds.
        """
        wanted = _parse_kind(gvk) if isinstance(gvk, str) else gvk
        place = self._kinds.get(wanted)
        if place is None:
            raise LookupError(self._unknown_kind_message(wanted))
        return place.load()

    def resource(self, kind: type[Typed] | GroupVersionKind | str) -> Resource:
        """Return the resource that serves a kind: its plural, and whether it is namespaced.

        Args:
            kind: the kind, its class, or a string such as `v1/Pod`, `apps/v1/Deployment`.

        Raises:
            LookupError: the kind is not registered, or has no resource. The message suggests what
                to do.
            TypeError: the class has no kind.
        """
        resource = self.known_resources.get(kind)
        if resource is None:
            resource = self._find_resource(kind)
            if not hasattr(kind, "__model__"):  # hidden variants are not cached: there may be many
                self.known_resources[kind] = resource
        return resource

    def _find_resource(self, kind: type[Typed] | GroupVersionKind | str) -> Resource:
        gvk = _as_gvk(kind)
        resource = self._resources.find(gvk)
        if resource is None:
            raise LookupError(self._no_resource_message(gvk))
        return resource

    def _no_resource_message(self, gvk: GroupVersionKind) -> str:
        """Return the message that a kind has no resource, and what to do."""
        place = self._kinds.get(gvk)
        if place is None:
            return (
                f"{self._unknown_kind_message(gvk)}; add its package to the scheme of the clientset"
                f" (`{_package_with(gvk)}.add_to_scheme(k.scheme)`), register your own class"
                f' (`k.scheme.register({gvk.kind}, plural="...")`), generate a package with it, or'
                " use `dynamic` of the clientset"
            )
        if issubclass(place.load(), ModelList):
            return f"{gvk} is a list: use {gvk.kind.removesuffix('List')}"
        return (
            f"{gvk} has no resource: servers store no objects of this kind. For your own class,"
            f' write `k.scheme.register({gvk.kind}, plural="...")`'
        )

    def list_model(self, model: type[TypedT]) -> type[ModelList[TypedT]]:
        """Return the list class of a model: the class in its package, or a new class.

        Raises:
            TypeError: the class has no kind.
        """
        list_class = self._lists.get(model)
        if list_class is None:
            list_class = self._lists[model] = self._find_list_model(model)
        return list_class

    def _find_list_model(self, model: type[Any]) -> type[ModelList[Any]]:
        gvk = _gvk_of(model)
        kind = f"{gvk.kind}List"
        place = self._kinds.get(gvk.group_version.with_kind(kind))
        if place is not None:
            registered = place.load()
            if item_class(registered) is model:
                return cast("type[ModelList[Any]]", registered)
        return new_list_class(model, gvk.group_version.api_version, kind)

    def kinds(self) -> list[GroupVersionKind]:
        """Return all registered kinds, sorted."""
        return sorted(self._kinds)

    def __contains__(self, gvk: object) -> bool:
        return (_parse_kind(gvk) if isinstance(gvk, str) else gvk) in self._kinds

    def _unknown_kind_message(self, gvk: GroupVersionKind) -> str:
        return f"the kind {gvk} is not registered{self._similar_kinds(gvk)}"

    def _similar_kinds(self, gvk: GroupVersionKind) -> str:
        """Return a hint: the same kind in other API versions, else a kind with a similar name."""
        similar = [str(kind) for kind in self.kinds() if kind.kind == gvk.kind]
        if not similar:
            from difflib import get_close_matches  # imported late: only messages need it

            by_kind = {e.kind: str(e) for e in self.kinds() if e.group_version == gvk.group_version}
            similar = [by_kind[kind] for kind in get_close_matches(gvk.kind, by_kind, 1)]
        return f"; did you mean {' or '.join(similar)}?" if similar else ""

    # ---- reading ------------------------------------------------------------------------------

    @overload
    def load(
        self, source: str | bytes | ManifestText | Path, *, strict: bool = ...
    ) -> list[Model]: ...
    @overload
    def load(
        self,
        source: str | bytes | ManifestText | Path,
        *,
        strict: bool = ...,
        unknown: Literal["refuse"],
    ) -> list[Model]: ...
    @overload
    def load(
        self,
        source: str | bytes | ManifestText | Path,
        *,
        strict: bool = ...,
        unknown: Literal["keep"],
    ) -> list[Model | Unstructured]: ...
    def load(
        self,
        source: str | bytes | ManifestText | Path,
        *,
        strict: bool = False,
        unknown: Literal["refuse", "keep"] = "refuse",
    ) -> Any:
        """Read the objects of YAML or JSON documents.

        Lists (`kind: List`, `PodList` and so on) are split into their items. Empty documents are
        skipped. As in Go, null reads as an absent field, and a missing required field has its zero
        value. Fields that a class does not have are kept, and written by `dump`.

        Args:
            source: a string, bytes or ManifestText with the documents, or the Path of a file or
                folder. In a folder, all .yaml, .yml and .json files are read in the order of their
                names. If a folder has a kustomization, kustomize is run. `Path("-")` is standard
                input.
            strict: refuse unknown fields and missing required fields.
            unknown: the treatment of kinds that are not registered: `refuse` raises an error,
                `keep` returns them as `Unstructured`.

        Raises:
            ManifestError: the message has a line for each mistake, with its document, line and
                field.
            TypeError: `source` is not a string, bytes, a ManifestText or a Path.
        """
        from .manifest_documents import check_source, documents

        check_source(source)
        located = self._located(documents(source), strict=strict, keep=unknown == "keep")
        return [obj for _, obj in located]

    def _located(
        self, manifests: Iterable[Manifest], *, strict: bool, keep: bool
    ) -> list[tuple[Manifest, Model | Unstructured]]:
        """Read the objects of documents, each with its place; see `load`."""
        from .manifest_documents import ManifestError, split_lists

        objects: list[tuple[Manifest, Model | Unstructured]] = []
        problems: list[str] = []
        try:
            for document in manifests:
                for manifest in split_lists(document, self._is_list):
                    obj = self._read_or_error(manifest, strict, keep)
                    if isinstance(obj, ManifestError):
                        problems.append(str(obj))
                    else:
                        objects.append((manifest, obj))
        except ManifestError as error:  # the text is malformed; report earlier problems, too
            problems.append(str(error))
        if problems:
            raise ManifestError("\n".join(problems))
        return objects

    def _is_list(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object whose kind ends in List is a list. Its class decides."""
        place = self._kinds.get(_gvk_in(value))
        return place is None or issubclass(place.load(), ModelList)

    def _read_or_error(
        self, manifest: Manifest, strict: bool, keep: bool
    ) -> Model | Unstructured | ManifestError:
        from .manifest_documents import ManifestError

        try:
            return self._decode_manifest(manifest, strict, keep)
        except ManifestError as error:
            return error

    def _decode_manifest(
        self, manifest: Manifest, strict: bool, keep: bool
    ) -> Model | Unstructured:
        from .._models.model_codec import from_dict
        from .manifest_documents import ManifestError
        from .type_errors import type_mismatches

        manifest.check()
        gvk = _gvk_in(manifest.value)
        place = self._kinds.get(gvk)
        if place is None:
            if keep:
                return Unstructured(manifest.value)
            raise ManifestError(f"{manifest.where}: {self._unknown_kind_message(gvk)}")
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
            server_fields: whether to write the fields that servers set.

        Raises:
            TypeError: an object has no apiVersion or kind.
            ValueError: a datetime has no time zone.
        """
        from .._models.manifest_writer import to_yaml

        return to_yaml(objects, server_fields=server_fields)

    def dump_json(self, objects: Written | Iterable[Written], *, server_fields: bool = True) -> str:
        """Write one object as JSON, or several objects as a `List`; see `dump`."""
        from .._models.manifest_writer import json_values

        is_single = isinstance(objects, (Model, Mapping))
        values = json_values(objects, server_fields)
        value = values[0] if is_single else {"apiVersion": "v1", "kind": "List", "items": values}
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def scheme_of(modules: Iterable[str | None]) -> Scheme:
    """Create a scheme with the kinds of generated packages.

    Args:
        modules: for each package, a module in the same folder as its `scheme`.
    """
    scheme = Scheme()
    for module in filter(None, modules):
        import_module(".scheme", module.rpartition(".")[0]).add_to_scheme(scheme)
    return scheme


class _Place(msgspec.Struct):
    """The module and name of a class, and the class itself after `load`."""

    module: str
    name: str
    loaded: type[Model] | None = None

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Place) and str(self) == str(other) and self._loads_same_class(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def _loads_same_class(self, other: _Place) -> bool:
        return self.loaded is other.loaded or self.loaded is None or other.loaded is None

    def load(self) -> type[Model]:
        """Return the class. The first call imports its module."""
        if self.loaded is None:
            self.loaded = cast("type[Model]", getattr(import_module(self.module), self.name))
        return self.loaded


def _as_gvk(kind: type[Any] | GroupVersionKind | str) -> GroupVersionKind:
    if isinstance(kind, GroupVersionKind):
        return kind
    if isinstance(kind, str):
        return _parse_kind(kind)
    _check_class(kind)
    return _gvk_of(kind)


def _check_class(kind: object) -> None:
    given = kind
    check_has_kind(kind)
    if not isinstance(kind, type) or not issubclass(kind, Model):
        raise TypeError(f"the kind must be a model class, such as Pod, not {type_of(given)}")


def _package_with(gvk: GroupVersionKind) -> str:
    """Return the name of an imported package that has the kind; `PACKAGE` if there is none."""
    for name, module in list(sys.modules.items()):
        if "." not in name and "add_to_scheme" in getattr(module, "__all__", ()):
            scheme = Scheme()
            module.add_to_scheme(scheme)
            if gvk in scheme:
                return name
    return "PACKAGE"


def _parse_kind(text: str) -> GroupVersionKind:
    api_version, _, kind = text.rpartition("/")
    return GroupVersion.parse(api_version).with_kind(kind)


def _gvk_in(value: Mapping[str, Any]) -> GroupVersionKind:
    return GroupVersion.parse(str(value.get("apiVersion"))).with_kind(str(value.get("kind")))


def _gvk_of(model: type[Any]) -> GroupVersionKind:
    model = cast("type[Model]", viewed_model(model) or model)
    wires = zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
    attributes = {wire: attribute for attribute, wire in wires}
    names: list[str] = []
    for name in ("apiVersion", "kind"):
        value = model.__constants__.get(attributes.get(name, ""))
        if not isinstance(value, str) or not value:
            raise TypeError(f"{model.__name__} has no kind: its {name} is not a `constant`")
        names.append(value)
    return _parse_kind("/".join(names))

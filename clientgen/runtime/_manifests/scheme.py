"""The kinds a program knows, from any number of packages: what reads and writes manifests.

::

    scheme = Scheme()
    kubeapi.add_to_scheme(scheme)
    crontabs.add_to_scheme(scheme)

    objects = scheme.load(Path("deploy"))
    print(scheme.dump(objects))

client-go: runtime.Scheme, its registry and its decoders; there are no conversions between versions.
Reading is kubectl's: YAML 1.1 as Go reads it, documents divided by `---`, lists taken apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

import msgspec

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._models.meta_v1 import ModelList
from .._models.model import Model
from .._models.unstructured import Unstructured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .documents import Manifest, ManifestError
    from .writer import Written

__all__ = ["Scheme", "Unstructured"]

M = TypeVar("M", bound=Model)


class Scheme:
    """A registry of kinds and their classes.

    Packages are added by their `add_to_scheme`; their modules are imported when one of their kinds
    is needed first. Any number of threads may share a scheme that nobody adds to any more.
    """

    def __init__(self) -> None:
        self._kinds: dict[GroupVersionKind, _Place] = {}

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

    def register(self, model: type[M]) -> type[M]:
        """Register a class that was written by hand; may be used as a decorator.

        Which kind it is of, its fields `apiVersion` and `kind` say: they are `constant`.

        Raises:
            TypeError: they are not, or not there.
            ValueError: the kind is registered with another class.
        """
        self._add(_gvk_of(model), _Place(model.__module__, model.__qualname__, model))
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
        from .documents import ManifestError, check_source, documents, split_lists

        check_source(source)
        objects: list[Model | Unstructured] = []
        problems: list[str] = []
        try:
            for document in documents(source):
                for manifest in split_lists(document, self._is_list):
                    obj = self._read(manifest, strict, unknown == "keep")
                    if isinstance(obj, ManifestError):
                        problems.append(str(obj))
                    else:
                        objects.append(obj)
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
        from .documents import ManifestError

        try:
            return self._object(manifest, strict, keep)
        except ManifestError as error:
            return error

    def _object(self, manifest: Manifest, strict: bool, keep: bool) -> Model | Unstructured:
        from .._models.codec import from_dict
        from .documents import ManifestError
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
        """Write objects as YAML documents, `---` between them.

        The same objects give the same text: apiVersion, kind, metadata and spec come first, status
        comes last, fields are in the order of their class and keys of maps in order. Text that
        could be taken for a number, a boolean or a date is quoted, text of several lines is a
        block. Everything is written, what is sensitive too.

        Args:
            objects: one, or several; models, or dicts such as `Unstructured`.
            server_fields: whether to write what servers set: status, and of the metadata uid,
                resourceVersion, generation, managedFields and times. Without, the text can be
                applied elsewhere.

        Raises:
            TypeError: an object has no kind.
            ValueError: a datetime has no zone.
        """
        from clientgen._yaml.dumper import write_yaml

        from .writer import json_values

        values = json_values(objects, server_fields)
        texts = [write_yaml(value, sort_keys=False, width=None) for value in values]
        return "---\n".join(texts)

    def dump_json(self, objects: Written | Iterable[Written], *, server_fields: bool = True) -> str:
        """Write one object, or several as a `List`, as JSON; see `dump`."""
        from .writer import json_values

        is_single = isinstance(objects, (Model, Mapping))
        values = json_values(objects, server_fields)
        value = values[0] if is_single else {"apiVersion": "v1", "kind": "List", "items": values}
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


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


def _parsed(text: str) -> GroupVersionKind:
    api_version, _, kind = text.rpartition("/")
    return GroupVersion.parse(api_version).with_kind(kind)


def _gvk_in(value: Mapping[str, Any]) -> GroupVersionKind:
    return GroupVersion.parse(str(value.get("apiVersion"))).with_kind(str(value.get("kind")))


def _gvk_of(model: type[Model]) -> GroupVersionKind:
    declared = {field.encode_name: field for field in msgspec.structs.fields(model)}
    names: list[str] = []
    for name in ("apiVersion", "kind"):
        field = declared.get(name)
        factory = None if field is None else field.default_factory
        value = factory() if callable(factory) else None
        if not isinstance(value, str) or not value:
            raise TypeError(f"{model.__name__} has no kind: its {name} is not a `constant`")
        names.append(value)
    return _parsed("/".join(names))

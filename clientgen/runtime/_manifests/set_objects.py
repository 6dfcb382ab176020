"""Reads the objects of a manifest set and their places."""

# `Scheme._located` is used by modules of this package only.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._models.arguments import type_of
from .._models.encoder import encode
from .._models.meta_v1 import ModelList
from .._models.model import Model
from .manifest_documents import Manifest, ManifestError, ManifestText, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._models.unstructured import Unstructured
    from .scheme import Scheme

ManifestSource: TypeAlias = (
    str
    | bytes
    | ManifestText
    | Path
    | Model
    | Mapping[str, Any]
    | Iterable["Model | Mapping[str, Any] | Path | ManifestText"]
)
"""A source of manifests: text, a file or folder, an object, or several objects and paths."""

# Longer error messages would not help.
_MAX_PROBLEMS = 100


class SetObject(Struct, frozen=True, eq=False):
    """One object of a set."""

    obj: Model | Unstructured
    manifest: Manifest
    _digest: int
    """The hash of the object when it was read. It differs if the object was changed later."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.where}>"  # the object may be a Secret

    @property
    def where(self) -> str:
        """The place of the object: its file, document and line."""
        return self.manifest.where

    def body(self) -> dict[str, Any]:
        """Return a copy of the JSON to send.

        The JSON is that of the manifest, without defaults of the class, because server-side apply
        would take ownership of the defaults. If the object was changed after it was read, the JSON
        is that of the object.
        """
        if isinstance(self.obj, Model):
            encoded = encode(self.obj)
            if hash(encoded) != self._digest or not self.manifest.value:
                return cast("dict[str, Any]", msgspec.json.decode(encoded))
            return deepcopy(self.manifest.value)
        return dict(deepcopy(self.obj))

    @property
    def gvk(self) -> GroupVersionKind:
        """The group, version and kind."""
        if isinstance(self.obj, Model):
            api_version, kind = getattr(self.obj, "api_version", ""), getattr(self.obj, "kind", "")
        else:
            api_version, kind = self.obj.get("apiVersion"), self.obj.get("kind")
        return GroupVersion.parse(str(api_version)).with_kind(str(kind))


def load_objects(
    scheme: Scheme, sources: Iterable[ManifestSource], *, strict: bool
) -> list[SetObject]:
    """Read the objects of all sources.

    Args:
        scheme: the registered kinds. Objects of other kinds are `Unstructured`.
        sources: text, paths or objects.
        strict: whether unknown fields and missing required fields are problems.

    Raises:
        ManifestError: the message has a line for each problem, with its place.
        TypeError: a source is of another type.
    """
    objects: list[SetObject] = []
    problems: list[str] = []
    for number, source in enumerate(sources, 1):
        for each in _flatten_source(source, f"argument {number}"):
            try:
                objects += _load_source(scheme, *each, strict=strict)
            except ManifestError as error:
                problems.append(str(error))
    if problems:
        raise ManifestError(list_problems(problems))
    return objects


def list_problems(problems: list[str]) -> str:
    """Return an error message with a line for each problem, up to a maximum number."""
    more = len(problems) - _MAX_PROBLEMS
    return "\n".join(problems[:_MAX_PROBLEMS] + ([f"and {more} more"] if more > 0 else []))


def _flatten_source(source: object, where: str) -> Iterator[tuple[Any, str]]:
    """Yield the sources in a source that may be a list. Each has a name for messages."""
    if isinstance(source, ModelList):
        source = cast("ModelList[Model]", source).items
    if isinstance(source, (str, bytes, ManifestText, Path, Model, Mapping)):
        yield source, where
    elif isinstance(source, Iterable):
        for index, each in enumerate(cast("Iterable[object]", source)):
            # Strings in lists are refused, because they are probably lines or names of a file.
            if not isinstance(each, (ManifestText, Path, Model, Mapping)):
                raise TypeError(
                    f"{where}[{index}] is {type_of(each)}: a list may contain objects and Paths"
                )
            yield each, f"{where}[{index}]"
    else:
        hint = ": pass the result of its read()" if hasattr(source, "read") else ""
        raise TypeError(
            f"{where} is {type_of(source)}: manifests() takes text, Paths and objects{hint}"
        )


def _load_source(scheme: Scheme, source: Any, where: str, *, strict: bool) -> Iterator[SetObject]:
    if isinstance(source, Model):
        manifest = Manifest(where, 0, 0, None, None)
        set_object = SetObject(source, manifest, 0)
        if not set_object.gvk.kind or not set_object.gvk.version:
            raise ManifestError(f"{where}: {type(source).__name__} has no apiVersion and kind")
        yield set_object
        return
    if isinstance(source, Mapping):
        plain = dict(cast("Mapping[str, Any]", source))
        manifests: Iterable[Manifest] = [Manifest(where, 0, 0, None, plain)]
    else:
        manifests = documents(source)
    for manifest, obj in scheme._located(manifests, strict=strict, keep=True):
        if isinstance(obj, Model):
            yield SetObject(obj, manifest, hash(encode(obj)))
        else:
            yield SetObject(obj, manifest, 0)


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a mapping, else an empty mapping."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def metadata_of(obj: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the metadata of an object; empty for None."""
    return {} if obj is None else mapping(obj.get("metadata"))


def names_in(obj: Mapping[str, Any] | None, field: str) -> dict[str, str]:
    """Return the `labels` or `annotations` of an object, without values that are not strings."""
    pairs = mapping(metadata_of(obj).get(field)).items()
    return {key: value for key, value in pairs if isinstance(value, str)}

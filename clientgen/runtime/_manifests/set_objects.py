"""The objects of a manifest set: how they are read, and where each of them stands."""

# `_located` is for modules of this package.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from clientgen._gvk import GroupVersion, GroupVersionKind

from .._models.arguments import named
from .._models.encoder import encode
from .._models.meta_v1 import ModelList
from .._models.model import Model
from .manifest_documents import Manifest, ManifestError, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._models.unstructured import Unstructured
    from .scheme import Scheme

__all__ = [
    "ManifestSource",
    "SetObject",
    "listed",
    "load_objects",
    "mapping",
    "metadata_of",
    "names_in",
]

ManifestSource: TypeAlias = (
    str | bytes | Path | Model | Mapping[str, Any] | Iterable["Model | Mapping[str, Any] | Path"]
)
"""What manifests are read from: text, files and folders, objects, or several of them."""

# An error message of more lines than this helps nobody.
_MOST_PROBLEMS = 100


class SetObject(Struct, frozen=True, eq=False):
    """One object of a set."""

    obj: Model | Unstructured
    manifest: Manifest
    _digest: int
    """Tells whether somebody has changed the object."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.where}>"  # the object may be a Secret

    @property
    def where(self) -> str:
        """The place of the object: its file, document and line."""
        return self.manifest.where

    def body(self) -> dict[str, Any]:
        """A copy of the JSON to send.

        It is what the manifest says, to the letter: defaults of classes are nobody's wish. An
        object that was changed after it was read is sent as it is now.
        """
        if isinstance(self.obj, Model):
            encoded = encode(self.obj)
            if hash(encoded) != self._digest or not self.manifest.value:
                return cast("dict[str, Any]", msgspec.json.decode(encoded))
            return deepcopy(self.manifest.value)
        return dict(deepcopy(self.obj))

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind."""
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
        scheme: the classes of kinds; objects of other kinds are `Unstructured`.
        sources: text, paths or objects.
        strict: whether unknown fields and missing required ones are problems.

    Raises:
        ManifestError: with everything that is wrong, each with its place.
        TypeError: a source is of another type.
    """
    objects: list[SetObject] = []
    problems: list[str] = []
    for number, source in enumerate(sources, 1):
        for each in _flat(source, f"argument {number}"):
            try:
                objects += _load(scheme, *each, strict=strict)
            except ManifestError as error:
                problems.append(str(error))
    if problems:
        raise ManifestError(listed(problems))
    return objects


def listed(problems: list[str]) -> str:
    """The text of an error with these problems, a line for each; of very many the first."""
    more = len(problems) - _MOST_PROBLEMS
    return "\n".join(problems[:_MOST_PROBLEMS] + ([f"and {more} more"] if more > 0 else []))


def _flat(source: object, where: str) -> Iterator[tuple[Any, str]]:
    """Yield the sources in a source, which may be a list of some, with the places of objects."""
    if isinstance(source, ModelList):
        source = cast("ModelList[Model]", source).items
    if isinstance(source, (str, bytes, Path, Model, Mapping)):
        yield source, where
    elif isinstance(source, Iterable):
        for index, each in enumerate(cast("Iterable[object]", source)):
            # Text in a list is most likely the lines of a file, or names of files.
            if not isinstance(each, (Path, Model, Mapping)):
                raise TypeError(
                    f"{where}[{index}] is {named(each)}: a list of manifests has objects and Paths"
                )
            yield each, f"{where}[{index}]"
    else:
        hint = ": give what its read() gives" if hasattr(source, "read") else ""
        raise TypeError(
            f"{where} is {named(source)}: manifests() takes text, Paths and objects{hint}"
        )


def _load(scheme: Scheme, source: Any, where: str, *, strict: bool) -> Iterator[SetObject]:
    if isinstance(source, Model):
        manifest = Manifest(where, 0, 0, None, None)
        made = SetObject(source, manifest, 0)
        if not made.gvk.kind or not made.gvk.version:
            raise ManifestError(f"{where}: {type(source).__name__} has no apiVersion and kind")
        yield made
        return
    if isinstance(source, Mapping):
        plain = dict(cast("Mapping[str, Any]", source))
        found: Iterable[Manifest] = [Manifest(where, 0, 0, None, plain)]
    else:
        found = documents(source)
    for manifest, obj in scheme._located(found, strict=strict, keep=True):
        if isinstance(obj, Model):
            yield SetObject(obj, manifest, hash(encode(obj)))
        else:
            yield SetObject(obj, manifest, 0)


def mapping(value: object) -> Mapping[str, Any]:
    """A mapping in an object from somewhere; what is none is empty."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def metadata_of(obj: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The metadata of an object; empty without an object."""
    return {} if obj is None else mapping(obj.get("metadata"))


def names_in(obj: Mapping[str, Any] | None, what: str) -> dict[str, str]:
    """The labels or annotations of an object, as far as they are text."""
    pairs = mapping(metadata_of(obj).get(what)).items()
    return {key: value for key, value in pairs if isinstance(value, str)}

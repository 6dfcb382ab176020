"""The intermediate representation: an API after the input is parsed and resolved.

Frozen records, API names only: no Python names (naming decides those) and no strings of code
(templates write those).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._problems import Problem

META_V1 = GroupVersion("meta", "v1")
"""The group version whose types the runtime has: they live once, so that packages work together."""
META_MODULE = "clientgen.runtime.models"
META_MANIFESTS = "clientgen.runtime.manifests"

# The verbs of markers, in the order Go's client-gen emits them, plus nothing of our own.
Verb = Literal[
    "create",
    "update",
    "updateStatus",
    "delete",
    "deleteCollection",
    "get",
    "list",
    "watch",
    "patch",
    "apply",
    "applyStatus",
]


@dataclass(frozen=True, slots=True, order=True)
class ModelId:
    """Names a model: the group version whose module holds it, and its name there."""

    group_version: GroupVersion
    name: str


class Scalar(Enum):
    """Types that are not models."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    BYTES = "bytes"
    TIME = "time"
    MICRO_TIME = "microtime"
    QUANTITY = "quantity"
    INT_OR_STRING = "int-or-string"
    JSON = "json"
    NULL = "null"
    """A member of a union: the value may be null, and null has to be sent."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """A string of which some values are known; a newer server may send others."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelType:
    """A value of a model."""

    model: ModelId


@dataclass(frozen=True, slots=True)
class ListType:
    """A JSON array."""

    item: TypeRef


@dataclass(frozen=True, slots=True)
class MapType:
    """A JSON object with free keys."""

    value: TypeRef


@dataclass(frozen=True, slots=True)
class UnionType:
    """One of several types that JSON tells apart."""

    members: tuple[TypeRef, ...]


TypeRef = Scalar | EnumType | ModelType | ListType | MapType | UnionType


@dataclass(frozen=True, slots=True)
class PythonAttribute:
    """The attribute that a field is in a class that exists already."""

    name: str
    nullable: bool
    has_names: bool = True
    """Whether a module can import every class in its type."""


@dataclass(frozen=True, slots=True)
class Field:
    """A property: its name on the wire, its type, and whether building without it is an error."""

    name: str
    type: TypeRef
    required: bool = False
    description: str = ""
    has_default: bool = False
    """An absent list or map is not empty, since servers fill it in.

    An absent number is zero.
    """
    partial: bool = False
    """Objects in it may lack what their model requires."""
    attribute: PythonAttribute | None = None
    """Set if the class exists already."""


@dataclass(frozen=True, slots=True)
class Model:
    """A JSON object with known properties. `gvk` is set on what manifests may hold."""

    id: ModelId
    fields: tuple[Field, ...]
    gvk: GroupVersionKind | None = None
    description: str = ""
    item: ModelId | None = None
    """The model of the items of a list kind."""
    open_ended: bool = False
    """It may have more properties than are known."""

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True, slots=True, order=True)
class PythonClass:
    """A class: the module that defines it, and its name there."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Models that generated code imports instead of defining them, and their shapes."""

    classes: Mapping[ModelId, PythonClass] = field(default_factory=dict[ModelId, PythonClass])
    models: tuple[Model, ...] = ()
    provided: Mapping[GroupVersion, str] = field(default_factory=dict[GroupVersion, str])
    """The package that has the clients too, where one does."""
    kinds: Mapping[GroupVersionKind, tuple[ModelId, ...]] = field(
        default_factory=dict[GroupVersionKind, tuple[ModelId, ...]]
    )
    """The user's own kinds, with clients or without: each with its list class, if there is one."""
    own: tuple[Model, ...] = ()
    """The shapes of classes that the user wrote, of which manifests are generated."""


@dataclass(frozen=True, slots=True)
class Method:
    """A call beyond the standard ones, from an irregular subresource or a `method=` marker."""

    name: str
    verb: Verb
    subresource: str
    input: ModelId | None
    result: ModelId
    named: bool = False
    """The name of the object is an argument, not read from the body."""
    body_optional: bool = False
    """The body says nothing that the name does not, so it may be left out (eviction)."""


@dataclass(frozen=True, slots=True)
class Subresource:
    """A part of an object that is read and written by itself: get, update and patch."""

    name: str
    model: ModelId


@dataclass(frozen=True, slots=True)
class Resource:
    """An endpoint: a plural in the URL, what it holds and what can be done with it."""

    group_version: GroupVersion
    plural: str
    kind: str
    namespaced: bool
    model: ModelId
    list_model: ModelId | None
    verbs: frozenset[Verb]
    subresources: tuple[Subresource, ...] = ()
    methods: tuple[Method, ...] = ()
    streams: tuple[str, ...] = ()
    """Its subresources that are streams, such as `log` and `exec`."""
    strategic_merge: bool = True
    selectable_fields: tuple[str, ...] = ()
    """Paths that field selectors may have, beside name and namespace: `spec.nodeName`."""
    create_result: ModelId | None = None
    """The model of the answer to a create, if it is not the object (a Binding gets a Status)."""
    has_lister: bool = True
    has_informer: bool = True
    """Whether objects of it can be kept in a cache, and nobody opted out; the verbs count too."""


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """An operation or definition that nothing was generated for, and why."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class OlderCopy:
    """A type described in place that was taken for a known one, and what that one has more."""

    where: str
    model: ModelId
    missing: tuple[str, ...]
    """Paths of properties, `spec.containers.image`: a server drops what is said there."""


@dataclass(frozen=True, slots=True)
class ViewPart:
    """Some fields of a model."""

    of: Model
    fields: Mapping[str, ViewPart | None]
    """By the field's name a part of its objects; None for all of its value."""


@dataclass(frozen=True, slots=True)
class View:
    """A class that has some fields of a kind; `where` is the place that asks for it."""

    name: str
    part: ViewPart
    where: str


@dataclass(frozen=True, slots=True)
class GroupVersionApi:
    """Everything of one group version."""

    group_version: GroupVersion
    models: tuple[Model, ...]
    resources: tuple[Resource, ...]
    own: tuple[Model, ...] = ()
    """The shapes of classes that the user wrote."""
    views: tuple[View, ...] = ()


@dataclass(frozen=True, slots=True)
class Api:
    """Everything that is generated, in a fixed order, and what is left out."""

    group_versions: tuple[GroupVersionApi, ...]
    skipped: tuple[Skipped, ...] = ()
    imported: Mapping[ModelId, PythonClass] = field(default_factory=dict[ModelId, PythonClass])
    older: tuple[OlderCopy, ...] = ()
    kinds: frozenset[ModelId] = frozenset()
    """Classes of the user's that are kinds or lists of them, whether they have clients or not."""
    left_out: frozenset[ModelId] = frozenset()
    """The same of the kinds that are not selected."""
    notes: tuple[Problem, ...] = ()
    """Notes for the authors of sources; they do not prevent generation."""
    packaged: frozenset[ModelId] = frozenset()
    """The models in `imported` that packages in use have, with their manifests."""

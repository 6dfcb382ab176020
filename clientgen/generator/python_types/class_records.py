"""Records about a module of model classes: its source joined with its classes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen.generator.genclient import MarkerLine

if TYPE_CHECKING:
    from clientgen.runtime._models.model import Model


class NoDefault(Enum):
    """The type of `NO_DEFAULT`."""

    NO_DEFAULT = "NO_DEFAULT"

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final[Literal[NoDefault.NO_DEFAULT]] = NoDefault.NO_DEFAULT
"""The default of a field that has none (None is a default)."""


@dataclass(frozen=True, slots=True)
class TypeField:
    """A field of a model class, whichever base it comes from.

    `annotation` is evaluated from the source: enumerations are `typing.Literal` and `Annotated` is
    kept. `default` is what the field reads as when it is not set; `NO_DEFAULT` of fields that are
    required and of `auto` ones. `where` is `file:line`.
    """

    attribute: str
    wire_name: str
    annotation: Any
    required: bool
    default: object = NO_DEFAULT
    markers: tuple[MarkerLine, ...] = ()
    docstring: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class TypeClass:
    """A model class. A class inside another has the name `Outer.Inner`."""

    name: str
    cls: type[Model]
    docstring: str
    markers: tuple[MarkerLine, ...]
    fields: tuple[TypeField, ...]
    where: str

    def field(self, wire_name: str) -> TypeField | None:
        """The field of that name on the wire."""
        return next((field for field in self.fields if field.wire_name == wire_name), None)


@dataclass(frozen=True, slots=True)
class TypeModule:
    """A module of model classes, in the order of its source.

    `file` is how messages call it; `markers` are those that stand above no class and no field.
    `homes` are the modules of the same top-level package whose models it imports.
    """

    name: str
    file: str
    docstring: str
    markers: tuple[MarkerLine, ...]
    classes: tuple[TypeClass, ...]
    homes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiKind:
    """A kind of an API: a model class with everything its markers say of how it is served.

    `list_class` is the name of the user's own list class beside it, if there is one.
    """

    group: str
    version: str
    kind: str
    list_kind: str
    plural: str
    singular: str
    namespaced: bool
    status: bool
    scale: bool
    type: TypeClass
    module: TypeModule
    list_class: str | None = None
    selectable_fields: tuple[str, ...] = ()
    """JSON paths that field selectors may have."""

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def group_version(self) -> GroupVersion:
        """Group and version."""
        return GroupVersion(self.group, self.version)

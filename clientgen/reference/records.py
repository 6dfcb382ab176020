"""Types, fields, resources and methods of a package, as they are read from its modules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._gvk import GroupVersion
    from clientgen.generator.ir import PythonClass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line of Python; a name of a type may be a link to it."""

    text: str
    type: PythonClass | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the last sentences of a text say in fixed words."""

    default: str = ""
    since: str = ""
    deprecated: str = ""
    limits: tuple[str, ...] = ()
    """The other sentences, such as `Range: 1 to 65535.`"""


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a field.

    Attributes:
        word: the type as `kubectl explain` writes it: `[]Container`, `map[string]string`.
        python: the annotation of the attribute.
        type: the class of the value, or of the items or values in it.
        steps: what leads from the value to an object of that class: `[0]`, `["key"]`.
        values: the known values of a string.
    """

    word: str
    python: tuple[Piece, ...]
    type: PythonClass | None = None
    steps: str = ""
    values: tuple[str, ...] = ()
    limits: Mapping[str, object] = field(default_factory=dict[str, object])
    """Keywords of a schema that `Annotated` states."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a type."""

    name: str
    """The name in manifests."""
    attribute: str
    shape: Shape
    required: bool
    text: str = ""
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True)
class Type:
    """A class of models."""

    id: PythonClass
    name: str
    """The name in the API, which may not be that of the class."""
    import_from: str
    """The module that users import it from."""
    group_version: GroupVersion | None
    fields: tuple[Field, ...]
    text: str = ""
    facts: Facts = field(default_factory=Facts)
    kind: str = ""
    """The kind, if the class has an apiVersion and a kind."""
    api_version: str = ""
    item: PythonClass | None = None
    """The type of the items, if the class is a list of objects."""

    def field(self, name: str) -> Field | None:
        """The field that manifests or Python call so."""
        by_name = {each.attribute: each for each in self.fields}
        by_name |= {each.name: each for each in self.fields}
        return by_name.get(name)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that the package has a client of."""

    group_version: GroupVersion
    plural: str
    kind: str
    namespaced: bool
    type: PythonClass | None
    package: str
    singular: str = ""
    short_names: tuple[str, ...] = ()

    @property
    def group_resource(self) -> str:
        """The plural and the group: `deployments.apps`."""
        group = self.group_version.group
        return f"{self.plural}.{group}" if group else self.plural


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a client, in both flavours."""

    name: str
    sync: tuple[Piece, ...]
    asynchronous: tuple[Piece, ...]
    text: str
    options: tuple[tuple[str, str], ...]
    everywhere: bool
    """Whether the client for all namespaces has it, too."""
    awaited: bool
    """Whether the asyncio flavour has to be awaited."""
    arguments: tuple[tuple[str, str], ...] = ()
    """The arguments that have to be given, and their annotations."""
    returns: str = ""
    """What the synchronous flavour returns."""
    body: PythonClass | None = None
    """The class of the argument `body`."""
    own: bool = False
    """Whether the user wrote it: an expansion of the client."""


@dataclass(frozen=True, slots=True)
class Client:
    """The client of a resource, and how its objects are cached."""

    resource: Resource
    version_accessor: str
    """The attribute of the clientset: `core_v1`."""
    accessor: str
    """The method of the group version's client: `pods`."""
    class_name: str
    methods: tuple[Method, ...]
    lister: str = ""
    informer: str = ""
    selectable: tuple[tuple[str, str], ...] = ()
    """Fields for field selectors: the path and the name in `fields`."""


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """An exception that calls raise."""

    name: str
    bases: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Home:
    """A group version of a package, and the folder that holds it."""

    package: str
    group_version: GroupVersion
    folder: str
    """The folder relative to the package: `core/v1`."""

    @property
    def module(self) -> str:
        """The module that users import from: `kubeapi.core.v1`."""
        return ".".join([self.package, *self.folder.split("/")])

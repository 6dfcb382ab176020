"""Objects of kinds without a class, and lists of them.

client-go: unstructured.Unstructured, unstructured.UnstructuredList.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from .decoder import from_dict, to_dict
from .deep_copy import deep_copy
from .list_classes import new_list_class, view_list_class
from .meta_v1 import ModelList, PartialObjectMetadata, PartialObjectMetadataList
from .model import Model, constant
from .model_info import is_view
from .object_meta_view import ObjectMetaView
from .reprs import identity_repr
from .table_text import print_cell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from .views import View

M = TypeVar("M", bound=Model)

# The kinds of Kubernetes whose values no message may show.
_SECRET_KINDS: Final = frozenset({"Secret", "TokenRequest", "TokenReview"})


class Unstructured(dict[str, Any]):
    """An object of any kind: a dict of its JSON, with typed access to its metadata.

        obj["spec"]["replicas"] = 3
        obj.metadata.labels["app"] = "web"

    Clients, watches, informers and listers accept this class in place of a model class. The dict
    is sent as it was received. `str` and `repr` show the kind and the name, not the contents.
    """

    __slots__ = ()

    @property
    def api_version(self) -> str:
        """The `apiVersion`, or an empty string."""
        return self._text("apiVersion")

    @property
    def kind(self) -> str:
        """The kind, or an empty string."""
        return self._text("kind")

    @property
    def metadata(self) -> ObjectMetaView:
        """The metadata, with the attributes of an `ObjectMeta`. Assignments change the object.

        Absent values read as in an `ObjectMeta`: as an empty string, list or map, or as None.
        """
        return ObjectMetaView(self)

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """The namespace, or an empty string."""
        return self.metadata.namespace

    @classmethod
    def of(cls, obj: Model | Mapping[str, Any]) -> Self:
        """Convert a model, or copy a mapping. The result shares nothing with `obj`.

        Raises:
            TypeError: `obj` has no apiVersion or kind.
        """
        value = cls(to_dict(obj))
        if not value.kind or not value.api_version:
            raise TypeError(
                f"{type(obj).__name__} is not an API object: it has no apiVersion or no kind"
            )
        return value

    def to(self, model: type[M]) -> M:
        """Convert to a model. Fields that the model does not have are kept.

        `PartialObjectMetadata` accepts objects of any kind, and drops all fields but the metadata.

        Raises:
            ValueError: the model is of another kind or version.
        """
        if not issubclass(model, PartialObjectMetadata):
            self._check_kind(model)
        return from_dict(model, self)

    def copy(self) -> Self:
        """Return a shallow copy; `deep_copy` copies everything."""
        return type(self)(self)

    __copy__ = copy

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return deep_copy(self)

    def __repr__(self) -> str:
        """Show the kind, namespace and name."""
        return identity_repr(self, self._identity())

    def __rich_repr__(self) -> list[tuple[str, str]]:
        """Yield the kind, namespace and name for rich."""
        return self._identity()

    if not TYPE_CHECKING:  # for type checkers, the class has the declared attributes only

        def __getattr__(self, name: str) -> object:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: write [{name!r}]"
            )

    def _text(self, name: str) -> str:
        value: object = self.get(name)
        return value if isinstance(value, str) else ""

    def _identity(self) -> list[tuple[str, str]]:
        metadata = self.metadata
        identity = {"api_version": self.api_version, "kind": self.kind}
        for name in ("namespace", "name", "generate_name", "resource_version"):
            identity[name] = getattr(metadata, name)
        return [(name, value) for name, value in identity.items() if value]

    def _check_kind(self, model: type[Model]) -> None:
        wanted = {name: str(value) for name, value in model.__constants__.items()}
        for name in ("kind", "api_version"):
            actual = getattr(self, name)
            if actual and name in wanted and actual != wanted[name]:
                own_kind = f"{self.api_version} {self.kind}".lstrip()
                raise ValueError(
                    f"{model.__name__} is {wanted.get('api_version')} {wanted.get('kind')}:"
                    f" it cannot hold the {print_cell(own_kind)} {self.name!r}"
                )


class UnstructuredList(ModelList[Unstructured]):
    """A list of objects without a class.

    In lists of built-in kinds, items have no apiVersion and kind. They get the apiVersion of the
    list, and its kind without `List` (apimachinery: unstructured/helpers.go, decodeToList).
    """

    api_version: str = constant("v1", name="apiVersion")
    kind: str = constant("List")

    def __post_init__(self) -> None:
        """Set the apiVersion and kind of items that have none."""
        api_version, kind = self.api_version, self.kind
        values: tuple[Any, ...] = (api_version, kind, self.items)  # a server may send any type
        if not all(map(isinstance, values, (str, str, list))) or not kind.removesuffix("List"):
            return
        item_kind = kind.removesuffix("List")
        for item in cast("list[Any]", self.items):
            if isinstance(item, Unstructured) and not item.kind and not item.api_version:
                item["apiVersion"], item["kind"] = api_version, item_kind


WholeObject: TypeAlias = Model | Unstructured
"""An API object with all of its fields."""

if TYPE_CHECKING:
    Typed: TypeAlias = Model | View[Any]
    Object: TypeAlias = WholeObject | View[Any]
    """An API object: a model, an `Unstructured`, or a view of a model."""
else:  # views are models
    Typed = Model
    Object = WholeObject


def holds_secrets(obj: Unstructured) -> bool:
    """Return whether an object is of a kind whose values no message may show."""
    return obj.kind in _SECRET_KINDS


def list_class(model: type[Any], api_version: str, kind: str) -> type[ModelList[Any]]:
    """Return the list class of a class of objects. For models, create a new list class.

    Args:
        model: the class of the objects.
        api_version: the `apiVersion` of the objects.
        kind: the kind of the objects.
    """
    given: Any = model
    if issubclass(given, ModelList):  # a Table is its own list class
        return cast("type[ModelList[Any]]", given)
    if issubclass(model, Unstructured):
        return getattr(model, "__list__", UnstructuredList)
    if issubclass(model, PartialObjectMetadata):
        return PartialObjectMetadataList
    if is_view(model):
        return view_list_class(model)
    return new_list_class(model, api_version, f"{kind}List")

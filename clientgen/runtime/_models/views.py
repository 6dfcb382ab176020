"""Views: classes with some of a model's fields. Nothing else is decoded or kept.

::

    class PlaceContainer(PartOf[Container]):
        image: str | None

    class PlaceSpec(PartOf[PodSpec]):
        node_name: str | None
        containers: list[PlaceContainer]

    class PodPlace(View[Pod]):
        spec: PlaceSpec

The class statement declares only names and types. Everything else comes from the model: the name on
the wire, and the value of a field that the server did not send. A view is a frozen msgspec struct,
and msgspec skips the members that it does not declare.

client-go has one fixed view: metav1.PartialObjectMetadata.
"""

from __future__ import annotations

import sys
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NoReturn,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from .argument_errors import UnknownAttribute
from .base import ModelMeta
from .meta_v1 import ObjectMeta, OwnerReference
from .model import Model, Time, auto, field
from .model_info import fields_of, viewed_model
from .view_fields import add_fields

if TYPE_CHECKING:
    from types import FrameType

M = TypeVar("M", bound=Model)


class _PartMeta(ModelMeta):
    """Completes the declaration of a view from its model, and checks it."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any
    ) -> ModelMeta:
        """Create the class.

        Raises:
            TypeError: The class does not name a model; or the model lacks a field, or its type or
                default is another.
        """
        settings: dict[str, Any] = {**config, "frozen": True}
        if "__model__" not in namespace:  # a hidden variant has the fields of its view
            _declare(name, bases, namespace, _caller())
            settings |= _kind_check(bases, namespace)
        created: Any = super().__new__(mcs, name, bases, namespace, **settings)
        created.__setattr__ = _refuse_assignment  # msgspec replaces one in the namespace
        return cast("ModelMeta", created)


def _caller() -> FrameType:
    """Return the frame of the class statement."""
    return sys._getframe(2)  # pyright: ignore[reportPrivateUsage]


def _declare(
    name: str, bases: tuple[type, ...], namespace: dict[str, Any], frame: FrameType
) -> None:
    """Complete the body of a view or part. The frame is that of the class statement."""
    model = _model_of(name, bases, namespace)
    if model is None:
        return
    namespace["__viewed__"] = model
    namespace["__sensitive__"] = model.__sensitive__
    if any(getattr(base, "__has_kind__", False) for base in bases):
        namespace["__constants__"] = kind = _type_meta(name, model)
        namespace.update(kind)
    add_fields(name, model, namespace, frame)
    metadata = namespace["__annotations__"].get("metadata")
    if "__constants__" in namespace and metadata and not issubclass(metadata, ViewMeta):
        raise TypeError(
            f"{name}.metadata is declared as {metadata.__name__}: derive it from ViewMeta"
        )


def _model_of(name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type[Model] | None:
    """Return the model that a class statement names; None for `PartOf` and `View` themselves."""
    models: list[Any] = [viewed for base in bases if (viewed := getattr(base, "__viewed__", None))]
    for base in namespace.get("__orig_bases__", ()):
        if isinstance(get_origin(base), _PartMeta):
            models += get_args(base)
    if models == [M] or (
        not models and name in {"_Frozen", "PartOf"} and namespace["__module__"] == __name__
    ):
        return None
    example = f"class {name}({bases[0].__name__}[...])` with the class of the model"
    if not models:
        raise TypeError(f"{name} does not name its model: write `{example}")
    for model in models:
        if not isinstance(cast("object", model), ModelMeta) or viewed_model(model):
            raise TypeError(f"{name} is a view of {model!r}, which is no model: write `{example}")
        if model is not models[0]:
            raise TypeError(f"{name} is a view of both {models[0].__name__} and {model.__name__}")
    return cast("type[Model]", models[0])


def _type_meta(name: str, model: type[Model]) -> dict[str, object]:
    """Return the apiVersion and kind of a model."""
    fields, constants = fields_of(model), model.__constants__
    names = [fields[wire].name for wire in ("apiVersion", "kind") if wire in fields]
    values = [constants[each] for each in names if each in constants]
    if len(values) < 2 or "metadata" not in fields:  # noqa: PLR2004 - both
        raise TypeError(
            f"{name} is a view of {model.__name__}, which is a part of objects: write"
            f" `class {name}(PartOf[{model.__name__}])`"
        )
    return dict(zip(("api_version", "kind"), values, strict=True))


def _kind_check(bases: tuple[type, ...], namespace: dict[str, Any]) -> dict[str, str]:
    """Return the settings that make msgspec refuse an object that states another kind.

    Metadata-only views take any kind: they are decoded from PartialObjectMetadata.
    """
    names = {*namespace.get("__annotations__", ())}.union(
        *(getattr(base, "__struct_fields__", ()) for base in bases)
    )
    kind = namespace.get("__constants__", {}).get("kind")
    return {"tag_field": "kind", "tag": str(kind)} if kind and names != {"metadata"} else {}


def _refuse_assignment(self: Model, name: str, _value: object) -> NoReturn:
    kind = type(self)
    if name not in kind.__struct_fields__:
        raise AttributeError(UnknownAttribute(kind, name), name=name)
    raise AttributeError(
        f"{kind.__name__}.{name} cannot be assigned: a view is read-only. To change the object,"
        " read it as a whole",
        name=name,
    )


if TYPE_CHECKING:
    # For type checkers, a frozen class cannot derive from `Model`, which is not frozen.
    @dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
    class _Frozen:
        __struct_fields__: ClassVar[tuple[str, ...]]

        def __rich_repr__(self) -> list[tuple[str, Any]]: ...

else:

    class _Frozen(Model, metaclass=_PartMeta, forbid_unknown_fields=False):
        """The base class of views and their parts."""


class PartOf(_Frozen, Generic[M]):
    """A class with some fields of an object inside of others: `class Place(PartOf[PodSpec])`.

    Fields have the names and types that they have in the model. In place of a model, a type may
    have a part of it: `containers: list[PlaceContainer]`. Defaults are those of the model.

    The class statement raises TypeError for a field that the model does not have, and for a field
    of another type.
    """

    __viewed__: ClassVar[type[Model]]
    """The model."""


class ViewMeta(PartOf[ObjectMeta]):
    """The metadata that all views have. A derived class has more of it.

    ::

        class PlaceMeta(ViewMeta):
            annotations: dict[str, str]
            creation_timestamp: Time | None
    """

    name: str = ""
    """The name, unique within the kind and namespace."""
    namespace: str = ""
    """The namespace; empty for cluster-scoped objects."""
    uid: str = ""
    """Identifies this object among all objects that ever had its name."""
    resource_version: str = ""
    """Changes with every write."""
    generation: int | None = None
    """Counts changes of the desired state."""
    deletion_timestamp: Time | None = None
    """When the object is due to be deleted."""
    deletion_grace_period_seconds: int | None = None
    """The seconds the object has to shut down after a delete request."""
    labels: dict[str, str] = field(default_factory=dict)
    """Short key-value pairs for selecting objects."""
    owner_references: list[OwnerReference] = field(default_factory=list)
    """The objects that this object depends on."""
    finalizers: list[str] = field(default_factory=list)
    """The controllers that still have to clean up before the object is removed."""


class View(PartOf[M], Generic[M]):
    """A class with some fields of a kind: `class PodPlace(View[Pod])`.

    Clients, watches, informers and controllers take a view in place of the class of the kind. They
    decode and keep nothing but its fields. `metadata` is always there.

    Objects are read-only, and nothing is written with them: `full` of a client reads the whole
    object.

    The class statement raises TypeError for a field that the model does not have, and for a field
    of another type.
    """

    __has_kind__: ClassVar[bool] = True
    """Whether objects of the class are objects of a kind, not parts of them."""
    api_version: ClassVar[str] = ""
    """The group and version, such as `apps/v1`."""
    kind: ClassVar[str] = ""
    """The kind."""
    if TYPE_CHECKING:  # a derived class may have metadata of another class, and no default
        metadata: ViewMeta
    else:
        metadata: ViewMeta = auto(ViewMeta)
    """The name, version, labels and owners of the object."""

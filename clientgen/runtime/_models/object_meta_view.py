"""The metadata of an object without a class, as attributes.

A view has the attributes of `ObjectMeta`. It stores no values: it reads each value from the
object's dict and writes it there.
"""

# The classes of this module use each other's private members.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, overload

import msgspec

from .decoder import from_dict, to_dict
from .meta_v1 import ManagedFieldsEntry, ObjectMeta, OwnerReference
from .model import Model
from .reprs import model_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

V = TypeVar("V")
M = TypeVar("M", bound=Model)

_METADATA: Final = "metadata"


class _Field(Generic[V]):
    """An attribute of a view: reads and writes one member of the metadata."""

    def __init__(self, wire: str) -> None:
        self.wire = wire

    @overload
    def __get__(self, view: None, owner: type) -> _Field[V]: ...
    @overload
    def __get__(self, view: ObjectMetaView, owner: type) -> V: ...
    def __get__(self, view: ObjectMetaView | None, owner: type) -> _Field[V] | V:
        return self if view is None else self._read(view)

    def __set__(self, view: ObjectMetaView, value: V) -> None:
        view._write(self.wire, self._to_json(value))

    def _read(self, view: ObjectMetaView) -> V:
        raise NotImplementedError

    def _to_json(self, value: V) -> object:
        """Return the JSON value to write for an assigned value; None removes the member."""
        return value or None


class _Text(_Field[str]):
    """A string; empty if it is absent."""

    def _read(self, view: ObjectMetaView) -> str:
        value = view._get(self.wire)
        return value if isinstance(value, str) else ""


class _Number(_Field[int | None]):
    """A whole number."""

    def _read(self, view: ObjectMetaView) -> int | None:
        value = view._get(self.wire)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _to_json(self, value: int | None) -> object:
        return value


class _Time(_Field[datetime | None]):
    """A time; None if it is absent or, as in client-go, not a valid time."""

    def _read(self, view: ObjectMetaView) -> datetime | None:
        try:
            value = msgspec.convert(view._get(self.wire), datetime)
        except msgspec.ValidationError:
            return None
        return value if value.tzinfo is not None else None

    def _to_json(self, value: datetime | None) -> object:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{self.wire} needs a time zone, for example datetime.now(UTC)")
        return msgspec.to_builtins(value)


class _Map(_Field[dict[str, str]]):
    """The map in the object itself. An absent map is added to the object with its first entry."""

    def _read(self, view: ObjectMetaView) -> dict[str, str]:
        value = view._get(self.wire)
        if isinstance(value, dict):
            return cast("dict[str, str]", value)
        return _NewMap(_Writer(view, self.wire, _unchanged))

    def _to_json(self, value: dict[str, str]) -> object:
        return value


class _Texts(_Field[list[str]]):
    """The list in the object itself. An absent list is added to the object with its first item."""

    def _read(self, view: ObjectMetaView) -> list[str]:
        value = view._get(self.wire)
        if isinstance(value, list):
            return cast("list[str]", value)
        return _NewList(_Writer(view, self.wire, _unchanged))

    def _to_json(self, value: list[str]) -> object:
        return value


class _Models(_Field[list[M]]):
    """A list of models, made from the object. Adding and removing items changes the object.

    After a change inside of a model, assign the list.
    """

    def __init__(self, wire: str, model: type[M]) -> None:
        super().__init__(wire)
        self._model = model

    def _read(self, view: ObjectMetaView) -> list[M]:
        value = view._get(self.wire)
        items: list[Any] = cast("Any", value) if isinstance(value, list) else []
        # Items that are not objects are skipped. They stay in the object until the list is written.
        models = [from_dict(self._model, item) for item in items if item.__class__ is dict]
        return _NewList(_Writer(view, self.wire, self._to_json), models)

    def _to_json(self, value: list[M]) -> object:
        return [to_dict(item) for item in value] or None


class ObjectMetaView:
    """The metadata of an `Unstructured`. Assignments change the object.

    Labels, annotations and finalizers are the dicts and lists in the object itself.
    `owner_references` and `managed_fields` are lists of models made from the object: adding and
    removing items changes the object; after a change inside of an item, assign the list.
    """

    __slots__ = ("_object",)

    name = _Text("name")
    """The name, unique within the kind and namespace."""
    generate_name = _Text("generateName")
    """A prefix. If `name` is empty, the server appends five random characters."""
    namespace = _Text("namespace")
    """The namespace; empty for cluster-scoped objects."""
    self_link = _Text("selfLink")
    """No longer set by servers."""
    uid = _Text("uid")
    """Identifies this object among all objects that ever had its name."""
    resource_version = _Text("resourceVersion")
    """Changes with every write. Compare it for equality; send it to detect conflicts."""
    generation = _Number("generation")
    """Counts changes of the desired state."""
    creation_timestamp = _Time("creationTimestamp")
    """When the server created the object."""
    deletion_timestamp = _Time("deletionTimestamp")
    """When the object is due to be deleted."""
    deletion_grace_period_seconds = _Number("deletionGracePeriodSeconds")
    """The seconds the object has to shut down after a delete request."""
    labels = _Map("labels")
    """Short key-value pairs for selecting objects."""
    annotations = _Map("annotations")
    """Key-value pairs for tools and people."""
    owner_references = _Models("ownerReferences", OwnerReference)
    """The objects that this object depends on."""
    finalizers = _Texts("finalizers")
    """The controllers that still have to clean up before the object is removed."""
    managed_fields = _Models("managedFields", ManagedFieldsEntry)
    """Which manager owns which fields."""

    def __init__(self, obj: dict[str, Any]) -> None:
        self._object = obj

    def __repr__(self) -> str:
        """Show the metadata as an `ObjectMeta` shows itself."""
        return model_repr(from_dict(ObjectMeta, self._members()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectMetaView):
            return NotImplemented
        return self._members() == other._members()

    __hash__ = None  # type: ignore[assignment]

    def _members(self) -> dict[str, object]:
        metadata = self._object.get(_METADATA)
        return cast("dict[str, object]", metadata) if isinstance(metadata, dict) else {}

    def _get(self, wire: str) -> object:
        return self._members().get(wire)

    def _write(self, wire: str, value: object) -> None:
        metadata: Any = self._object.get(_METADATA)
        if metadata is None and value is not None:
            metadata = self._object[_METADATA] = {}
        if metadata is None:
            return
        if not isinstance(metadata, dict):
            raise TypeError(f"the metadata must be a dict, not {type(metadata).__name__}")
        members = cast("dict[str, object]", metadata)
        if value is None:
            members.pop(wire, None)
        else:
            members[wire] = value


# ---- lists and maps that write their changes into the object ----------------------------------


class _Writer:
    """Writes a list or map into the metadata.

    Raises:
        RuntimeError: the member was assigned since the list or map was read.
    """

    __slots__ = ("_last", "_to_json", "_view", "_wire")

    def __init__(self, view: ObjectMetaView, wire: str, to_json: Callable[[Any], object]) -> None:
        self._view = view
        self._wire = wire
        self._to_json = to_json
        self._last = view._get(wire)

    def __call__(self, values: Any) -> None:
        view, wire = self._view, self._wire
        # Compare the identity: an equal value that was assigned is not the value that was read.
        if view._get(wire) is not self._last:
            raise RuntimeError(
                f"{wire} were assigned after this value was read: read them from the object again"
            )
        view._write(wire, self._to_json(values))
        self._last = view._get(wire)


def _unchanged(values: V) -> V:
    return values


def _with_change_calls(kind: type, names: Iterable[str]) -> Callable[[type[V]], type[V]]:
    """Make the named methods of a subclass of `kind` call `changed` afterwards."""

    def decorate(derived: type[V]) -> type[V]:
        for name in names:
            setattr(derived, name, _with_change_call(getattr(kind, name)))
        return derived

    return decorate


def _with_change_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        self.changed(self)
        return result

    return change


@_with_change_calls(dict, ("__setitem__", "__ior__", "setdefault", "update"))
class _NewMap(dict[str, str]):
    """A map that is added to the object with its first entry. Its copies are plain dicts."""

    __slots__ = ("changed",)

    def __init__(self, changed: Callable[[Any], None]) -> None:
        super().__init__()
        self.changed = changed

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, ({**self},)


@_with_change_calls(
    list,
    (
        "__delitem__",
        "__iadd__",
        "__imul__",
        "__setitem__",
        "append",
        "clear",
        "extend",
        "insert",
        "pop",
        "remove",
        "reverse",
        "sort",
    ),
)
class _NewList(list[V]):
    """A list that calls `changed` after every change. Its copies are plain lists."""

    __slots__ = ("changed",)

    def __init__(self, changed: Callable[[Any], None], values: Iterable[V] = ()) -> None:
        super().__init__(values)
        self.changed = changed

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return list, ([*self],)

"""The metadata of an object without a class, as attributes.

A view has the attributes of `ObjectMeta`. It holds no values: each one is read from the object's
dict and written into it.
"""

# A view, its attributes and what they return are friends.
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

__all__ = ["ObjectMetaView"]

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
        view._write(self.wire, self._written(value))

    def _read(self, view: ObjectMetaView) -> V:
        raise NotImplementedError

    def _written(self, value: V) -> object:
        """Return what is written for a value; None for nothing."""
        return value or None


class _Text(_Field[str]):
    """A text; empty if there is none."""

    def _read(self, view: ObjectMetaView) -> str:
        value = view._get(self.wire)
        return value if isinstance(value, str) else ""


class _Number(_Field[int | None]):
    """A whole number."""

    def _read(self, view: ObjectMetaView) -> int | None:
        value = view._get(self.wire)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _written(self, value: int | None) -> object:
        return value


class _Time(_Field[datetime | None]):
    """A time; None also for what is no time, as for client-go."""

    def _read(self, view: ObjectMetaView) -> datetime | None:
        try:
            value = msgspec.convert(view._get(self.wire), datetime)
        except msgspec.ValidationError:
            return None
        return value if value.tzinfo is not None else None

    def _written(self, value: datetime | None) -> object:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{self.wire} needs a time zone, for example datetime.now(UTC)")
        return msgspec.to_builtins(value)


class _Map(_Field[dict[str, str]]):
    """A map, the very one in the object. An absent one is added when something is put into it."""

    def _read(self, view: ObjectMetaView) -> dict[str, str]:
        value = view._get(self.wire)
        if isinstance(value, dict):
            return cast("dict[str, str]", value)
        return _NewMap(_Writer(view, self.wire, _as_is))

    def _written(self, value: dict[str, str]) -> object:
        return value


class _Names(_Field[list[str]]):
    """A list of texts, the very one in the object; an absent one is added as a `_Map` is."""

    def _read(self, view: ObjectMetaView) -> list[str]:
        value = view._get(self.wire)
        if isinstance(value, list):
            return cast("list[str]", value)
        return _NewList(_Writer(view, self.wire, _as_is))

    def _written(self, value: list[str]) -> object:
        return value


class _Models(_Field[list[M]]):
    """A list of models. What is changed in the list is changed in the object.

    Changes inside of one of the models are not: assign the list for these.
    """

    def __init__(self, wire: str, model: type[M]) -> None:
        super().__init__(wire)
        self._model = model

    def _read(self, view: ObjectMetaView) -> list[M]:
        value = view._get(self.wire)
        items: list[Any] = cast("Any", value) if isinstance(value, list) else []
        # What is no object stays until the list is written.
        models = [from_dict(self._model, item) for item in items if item.__class__ is dict]
        return _NewList(_Writer(view, self.wire, self._written), models)

    def _written(self, value: list[M]) -> object:
        return [to_dict(item) for item in value] or None


class ObjectMetaView:
    """The metadata of an `Unstructured`: what is set here is set in the object.

    Labels, annotations and finalizers are the dicts and lists of the object themselves.
    `owner_references` and `managed_fields` are lists made for the reader: append to them or remove
    from them, but assign the list after changing one of its entries.
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
    """Identifies this object among all that ever had its name."""
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
    finalizers = _Names("finalizers")
    """The names of those who still have to clean up before the object is removed."""
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


# ---- lists and maps that are not, or not as they are, in the object ----------------------------


class _Writer:
    """Writes a list or map into the metadata, unless somebody else has done so since it was read.

    Raises:
        RuntimeError: somebody has.
    """

    __slots__ = ("_last", "_view", "_wire", "_written")

    def __init__(self, view: ObjectMetaView, wire: str, written: Callable[[Any], object]) -> None:
        self._view = view
        self._wire = wire
        self._written = written
        self._last = view._get(wire)

    def __call__(self, values: Any) -> None:
        view, wire = self._view, self._wire
        if view._get(wire) is not self._last:
            raise RuntimeError(f"{wire} were set in the meantime: read them from the object again")
        view._write(wire, self._written(values))
        self._last = view._get(wire)


def _as_is(values: V) -> V:
    return values


def _reporting(kind: type, names: Iterable[str]) -> Callable[[type[V]], type[V]]:
    """Make methods of a list or dict tell of changes, in a class derived from `kind`."""

    def decorate(derived: type[V]) -> type[V]:
        for name in names:
            setattr(derived, name, _reporting_method(getattr(kind, name)))
        return derived

    return decorate


def _reporting_method(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        self.changed(self)
        return result

    return change


@_reporting(dict, ("__setitem__", "__ior__", "setdefault", "update"))
class _NewMap(dict[str, str]):
    """A map that goes into the object with the first entry; copies of it are plain dicts."""

    __slots__ = ("changed",)

    def __init__(self, changed: Callable[[Any], None]) -> None:
        super().__init__()
        self.changed = changed

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, ({**self},)


@_reporting(
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
    """A list that tells of changes; copies of it are plain lists."""

    __slots__ = ("changed",)

    def __init__(self, changed: Callable[[Any], None], values: Iterable[V] = ()) -> None:
        super().__init__(values)
        self.changed = changed

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return list, ([*self],)

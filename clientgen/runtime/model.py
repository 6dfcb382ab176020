"""The base of every model, and the words a model's fields are declared with.

A model is a msgspec struct: keyword arguments only, snake_case attributes, camelCase on the wire.
What was not set is not on the wire; the declarations below decide what "not set" reads as:

- `name: str | None = None`: None;
- `tolerations: list[Toleration] = field(default_factory=list)`: an empty list to fill;
- `spec: PodSpec = auto(PodSpec)`: an empty object to fill;
- `kind: Literal["Pod"] = constant("Pod")`: always the same, and always on the wire.
"""

from __future__ import annotations

from datetime import datetime
from itertools import repeat
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    overload,
)

import msgspec
from msgspec import Raw, Struct

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal as Literal  # noqa: PLC0414 - re-exported

    from msgspec import StructMeta

    @overload
    def field(*, default: T, name: str | None = None) -> T: ...
    @overload
    def field(*, default_factory: Callable[[], object], name: str | None = None) -> Any: ...
    @overload
    def field(*, name: str | None = None) -> Any: ...
    def field(**_declared: Any) -> Any:
        """Declare a field: `msgspec.field`, typed so that `default_factory=list` fits any list."""

else:
    from msgspec import field

    StructMeta = type(Struct)

    class Literal:
        """`typing.Literal` to type checkers; at run time any string, so that new values decode.

        Of whole numbers it is any whole number.
        """

        def __class_getitem__(cls, values: object) -> type[str | int]:
            """Evaluate `Literal["A", "B"]` or `Literal[1, 2]`."""
            first = values[0] if isinstance(values, tuple) else values
            return int if isinstance(first, int) else str


__all__ = [
    "HIDDEN",
    "MICRO",
    "NO_RAW",
    "Auto",
    "IntOrString",
    "Literal",
    "MicroTime",
    "Model",
    "ModelMeta",
    "Raw",
    "Time",
    "auto",
    "constant",
    "field",
    "raw",
    "raw_value",
]

NO_RAW = Raw()
"""The absence of a `Raw` field: a `Raw` cannot be in a union, so it cannot be None."""

HIDDEN = "<hidden>"
"""What reprs show in place of a sensitive value."""

MICRO = msgspec.Meta(tz=True, extra={"micro": True})
"""Marks the datetimes that need six fraction digits."""

IntOrString: TypeAlias = int | str
"""A port or an amount: a number, or a name or percentage."""

Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
"""An aware datetime, RFC 3339 on the wire."""

MicroTime: TypeAlias = Annotated[datetime, MICRO]
"""An aware datetime that leaves with exactly six fraction digits: the server takes no other."""


class ModelMeta(StructMeta):
    """Makes every model keyword-only, and keeps what is sensitive out of reprs."""

    def __new__(  # noqa: PYI034 - a metaclass has no Self
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        sensitive: tuple[str, ...] = (),
        open_ended: bool = False,
        kw_only: bool = True,
        **config: Any,
    ) -> ModelMeta:
        """Create the class; `sensitive` names the attributes no repr may show."""
        if open_ended:
            namespace["__open_ended__"] = True
        if sensitive:
            namespace["__sensitive__"] = frozenset(sensitive)
            namespace["__repr__"] = _guarded_repr
            namespace["__rich_repr__"] = _guarded_items
        return super().__new__(mcs, name, bases, namespace, kw_only=kw_only, **config)


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Model(
    Struct,
    metaclass=ModelMeta,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # models hold no back references, so they cannot be part of a cycle
    rename="camel",
    repr_omit_defaults=True,
):
    """A typed piece of the Kubernetes API.

    Assigning is not checked at run time, as in any dataclass; type checkers know every field.
    """

    __sensitive__: ClassVar[frozenset[str]] = frozenset()
    """Attributes whose values no repr shows; declared as `class Secret(Model, sensitive=(...))`."""

    __open_ended__: ClassVar[bool] = False
    """Whether the API takes fields it does not name: `class Driver(Model, open_ended=True)`."""

    if TYPE_CHECKING:

        def __init_subclass__(
            cls,
            *,
            sensitive: tuple[str, ...] = (),
            open_ended: bool = False,
            forbid_unknown_fields: bool = True,
        ) -> None: ...

    def __deepcopy__(self, _memo: dict[int, Any]) -> Model:
        """Copy as `codec.deep_copy` does, which is many times faster than walking attributes."""
        from .copying import deep_copy  # late: copying stands on this module

        return deep_copy(self)


class Auto:
    """Makes the value of an `auto` field nobody set: an empty object that stays off the wire.

    The object is of a hidden subclass: that is how the encoder tells it from an empty object that
    somebody set, which is sent as `{}`.
    """

    __slots__ = ("_make", "model")

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        self._make: Callable[[], Model] | None = None

    def __call__(self) -> Model:
        """Make one."""
        if self._make is None:
            from .shapes import unset_maker  # late: shapes stands on this module

            self._make = unset_maker(self.model)
        return self._make()


def auto(model: type[T]) -> T:
    """Declare an optional struct that is never None: empty when absent, absent while empty.

    Required fields of the empty struct are zero, as in Go: `""`, 0, False, `[]`, `{}`.
    """
    return cast("T", field(default_factory=Auto(cast("type[Model]", model))))


def constant(value: T, *, name: str | None = None) -> T:
    """Declare a field that is `value` unless given, and is always on the wire.

    msgspec leaves a field out when it equals a plain default, but not when a factory made it.
    """
    # `repeat().__next__` is a factory without a Python frame: list items without kind call it.
    return cast("T", field(default_factory=repeat(value).__next__, name=name))


def raw(value: object) -> Raw:
    """Make JSON that is kept to the byte out of a model or any JSON-like value."""
    from .encoding import encode  # late: encoding stands on this module

    return Raw(encode(value))


def raw_value(value: Raw) -> Any:
    """Read JSON that was kept to the byte; None when there is none."""
    return msgspec.json.decode(value) if bytes(value) else None


def _guarded_items(self: Model) -> Iterator[tuple[str, object]]:
    """Yield what is set, with the sensitive values hidden.

    A field that is unknown (newer than the model) may be as sensitive as its neighbours.
    """
    known = _declared_fields(type(self))
    fields, defaults = self.__struct_fields__, self.__struct_defaults__
    required = (msgspec.NODEFAULT,) * (len(fields) - len(defaults))  # those come first
    for name, default in zip(fields, (*required, *defaults), strict=True):
        value = getattr(self, name)
        if value is default or (isinstance(value, list | dict) and not value):
            continue
        shown = name in known and name not in self.__sensitive__
        yield name, value if shown else HIDDEN


def _guarded_repr(self: Model) -> str:
    items = ", ".join(
        f"{name}={value if value is HIDDEN else repr(value)}"
        for name, value in _guarded_items(self)
    )
    return f"{type(self).__name__}({items})"


def _declared_fields(model: type[Model]) -> tuple[str, ...]:
    """Return the fields of the class that declared what is sensitive, or of a subclass by hand."""
    return getattr(model, "__model__", model).__struct_fields__

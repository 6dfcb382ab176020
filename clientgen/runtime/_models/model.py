"""The base of every model, and the words a model's fields are declared with.

A model is a msgspec struct: keyword arguments only, snake_case attributes, camelCase on the wire.
What was not set is not on the wire; the declarations below decide what "not set" reads as:

- `name: str | None = None`: None;
- `replicas: int = field(default=UNSET_ZERO)`: 0, where servers leave out a zero. A 0 that you
  assign is sent;
- `tolerations: list[Toleration] = field(default_factory=list)`: an empty list to fill. One that was
  read empty is sent empty;
- `matches: list[Match] = field(default_factory=UnsetList)`: the same where servers have a default.
  An empty list that you assign is sent;
- `spec: PodSpec = auto(PodSpec)`: an empty object to fill;
- `kind: Literal["Pod"] = constant("Pod")`: always the same, and always on the wire; but for the
  apiVersion and kind of an object inside another, which are sent if they were read or set.
"""

from __future__ import annotations

from datetime import datetime
from itertools import repeat
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    overload,
)

import msgspec
from msgspec import Raw

from .base import NO_RAW, ModelBase
from .deep_copy import deep_copy
from .empties import UNSET_ZERO, UnsetDict, UnsetList
from .reprs import model_items, model_repr
from .variants import Auto

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal as Literal  # noqa: PLC0414 - re-exported

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

    class Literal:
        """`typing.Literal` to type checkers; at run time any string, so that new values decode.

        Of whole numbers it is any whole number.
        """

        def __class_getitem__(cls, values: object) -> type[str | int]:
            """Evaluate `Literal["A", "B"]` or `Literal[1, 2]`."""
            first = values[0] if isinstance(values, tuple) else values
            return int if isinstance(first, int) else str


__all__ = [
    "MICRO",
    "NO_RAW",
    "UNSET_ZERO",
    "IntOrString",
    "Literal",
    "MicroTime",
    "Model",
    "Raw",
    "Time",
    "UnsetDict",
    "UnsetList",
    "auto",
    "constant",
    "field",
]

MICRO = msgspec.Meta(tz=True, extra={"micro": True})
"""Marks the datetimes that need six fraction digits."""

IntOrString: TypeAlias = int | str
"""A port or an amount: a number, or a name or percentage."""

Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
"""An aware datetime, RFC 3339 on the wire."""

MicroTime: TypeAlias = Annotated[datetime, MICRO]
"""An aware datetime that leaves with exactly six fraction digits: the server takes no other."""


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Model(ModelBase):
    """A typed piece of the Kubernetes API.

    Assigning is not checked at run time, as in any dataclass; type checkers know every field.
    """

    if TYPE_CHECKING:

        def __init_subclass__(
            cls,
            *,
            sensitive: tuple[str, ...] = (),
            open_ended: bool = False,
            partial: tuple[str, ...] = (),
            forbid_unknown_fields: bool = True,
        ) -> None: ...

    def __repr__(self) -> str:
        """Show what is set, in short; of a kind that has a name, which one it is."""
        return model_repr(self)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show what is set to rich, all of it but what is sensitive."""
        return [*model_items(self)]

    def __deepcopy__(self, _memo: dict[int, Any]) -> Model:
        """Copy as `codec.deep_copy` does, which is many times faster than walking attributes."""
        return deep_copy(self)


def auto(model: type[T]) -> T:
    """Declare an optional struct that is never None: empty when absent, absent while empty.

    Required fields of the empty struct are zero, as in Go: `""`, 0, False, `[]`, `{}`.
    """
    return cast("T", field(default_factory=Auto(cast("type[ModelBase]", model))))


def constant(value: T, *, name: str | None = None) -> T:
    """Declare a field that is `value` unless given, and is always on the wire.

    msgspec leaves a field out when it equals a plain default, but not when a factory made it.
    """
    # `repeat().__next__` is a factory without a Python frame: list items without kind call it.
    return cast("T", field(default_factory=repeat(_own(value)).__next__, name=name))


def _own(value: T) -> T:
    """Return the same text as an object of its own: who finds it knows that nobody else gave it."""
    return cast("T", value.encode().decode()) if isinstance(value, str) else value

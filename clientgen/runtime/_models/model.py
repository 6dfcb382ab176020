"""The base class of all models, and functions to declare fields.

A model is a msgspec struct with keyword arguments, snake_case attributes and camelCase names on the
wire. Fields that are not set are not sent. The declaration decides how an unset field reads:

- `name: str | None = None`: None.
- `replicas: int = field(default=UNSET_ZERO)`: 0, for fields where servers leave out zeros. A 0 that
  you assign is sent.
- `tolerations: list[Toleration] = field(default_factory=list)`: an empty list to fill. An empty
  list that the server sent is sent back.
- `matches: list[Match] = field(default_factory=UnsetList)`: also an empty list to fill, for fields
  with a default of the server. An empty list that you assign is sent.
- `spec: PodSpec = auto(PodSpec)`: an empty object to fill.
- `kind: Literal["Pod"] = constant("Pod")`: a constant that is always sent. In objects nested in
  others, apiVersion and kind are sent only if they were read or set.
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
        """`typing.Literal` for type checkers. At run time, any string is valid: servers add values.

        For a `Literal` of integers, any integer is valid.
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
"""Marks datetimes that are written with six fractional digits."""

IntOrString: TypeAlias = int | str
"""An integer, or a string such as a port name or a percentage."""

Time: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
"""An aware datetime, RFC 3339 on the wire."""

MicroTime: TypeAlias = Annotated[datetime, MICRO]
"""An aware datetime, written with exactly six fractional digits, as the server requires."""


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Model(ModelBase):
    """Base class of typed Kubernetes objects and their parts.

    As in dataclasses, assignments are not checked at run time. Type checkers know every field.
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
        """Show the fields that are set, shortened. An object with a name omits spec and status."""
        return model_repr(self)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Yield all fields that are set for rich. Sensitive values are hidden."""
        return [*model_items(self)]

    def __deepcopy__(self, _memo: dict[int, Any]) -> Model:
        """Copy with `deep_copy`, which is many times faster than the default of `copy`."""
        return deep_copy(self)


def auto(model: type[T]) -> T:
    """Declare an optional object that is never None. An unset object is empty, and is not sent.

    In the empty object, required fields have zero values, as in Go: `""`, 0, False, `[]`, `{}`.
    """
    return cast("T", field(default_factory=Auto(cast("type[ModelBase]", model))))


def constant(value: T, *, name: str | None = None) -> T:
    """Declare a field that defaults to `value` and is always sent.

    msgspec omits a field that equals a plain default, but not one that comes from a factory.
    """
    # `repeat().__next__` runs no Python code. msgspec calls it for every list item without a kind.
    return cast("T", field(default_factory=repeat(_distinct_copy(value)).__next__, name=name))


def _distinct_copy(value: T) -> T:
    """Return an equal string that is another object, so that its identity is unique."""
    return cast("T", value.encode().decode()) if isinstance(value, str) else value

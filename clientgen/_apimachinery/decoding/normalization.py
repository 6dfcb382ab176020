"""Objects of built-in kinds, brought into the form the server keeps and answers.

The real server decodes a body into a Go struct and encodes that again. What this does to a document
is made of four rules: types are checked, unknown fields disappear (and are told of), scalars are
rewritten, and empty fields are left out or written as `presence` says. For each schema a plan is
made once; the unknown fields' paths, which hardly any document needs, are found in a second walk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from msgspec import json

from clientgen._gvk import GroupVersionKind
from clientgen._json import is_array
from clientgen._text_cache import Conversions, encoded

from .. import failures
from . import scalar_decoding
from .presence import presence
from .scalar_decoding import SCALARS, Mismatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clientgen._openapi.resolved import ResolvedSchema

_MACHINERY: Final = "io.k8s.apimachinery.pkg."
_SELF_ENCODED: Final[dict[str, tuple[Callable[[Any], Any], Any]]] = {
    f"{_MACHINERY}api.resource.Quantity": (scalar_decoding.quantity, "0"),
    f"{_MACHINERY}apis.meta.v1.MicroTime": (scalar_decoding.micro_time, None),
    f"{_MACHINERY}apis.meta.v1.Time": (scalar_decoding.time, None),
    f"{_MACHINERY}util.intstr.IntOrString": (scalar_decoding.int_or_string, 0),
}
_EXTENSIONS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
_PROPS: Final = f"{_EXTENSIONS}JSONSchemaProps"
# Without fields, and not any JSON.
_EMPTY_STRUCT: Final = f"{_EXTENSIONS}CustomResourceSubresourceStatus"


_PLAIN: Final[dict[Callable[[Any], Any], type]] = {
    scalar_decoding.string: str,
    scalar_decoding.boolean: bool,
}


class Normalised(NamedTuple):
    """A document in its form, and the paths of the unknown fields it had."""

    value: dict[str, Any]
    unknown: list[str]


def normalise(
    value: dict[str, Any],
    schema: ResolvedSchema,
    *,
    refuse: Callable[[str], failures.Failure] | None = None,
) -> Normalised:
    """Return an object of a built-in kind in the form of the server; `value` does not change.

    Args:
        value: the object as it came.
        schema: the definition of its kind.
        refuse: makes the Failure of the reason why it cannot be decoded. Patches answer otherwise
            than bodies do: see `undecodable` in the modules of `patches`.

    Raises:
        Failure: 400, a value is of the wrong type.
    """
    plan = _plan(schema)
    strangers: list[str] = []
    try:
        made: dict[str, Any] = plan.convert(value, strangers)
    except Mismatch as mismatch:
        raise (refuse or _refusal(schema))(str(mismatch)) from None
    return Normalised(made, list(plan.unknown(value, "")) if strangers else [])


def _refusal(schema: ResolvedSchema) -> Callable[[str], failures.Failure]:
    fallback = GroupVersionKind("", "v1", schema.name.rpartition(".")[2])
    gvk = next(iter(schema.kinds), fallback)
    kind = gvk.kind or fallback.kind
    start = f'{kind} in version "{gvk.group_version}" cannot be handled as a {kind}: '
    return lambda why: failures.bad_request(start + why)


class _Plan(Protocol):
    """The conversion of the values of one schema."""

    def convert(self, value: Any, strangers: list[str]) -> Any:
        """The value in its form; unknown fields are noted in `strangers`."""
        ...

    def zero(self) -> Any:
        """Return Go's value for a field that was never set."""
        ...

    def unknown(self, value: Any, path: str) -> Iterator[str]:
        """Paths of the unknown fields in a value that could be converted."""
        ...


def _plan(schema: ResolvedSchema) -> _Plan:
    if schema.plan is None:
        schema.plan = _make(schema)
    plan: _Plan = schema.plan
    return plan


def _make(schema: ResolvedSchema) -> _Plan:
    if schema.name in _SELF_ENCODED:
        return _Scalar(*_SELF_ENCODED[schema.name])
    if schema.name.startswith(f"{_PROPS}Or"):
        return _SchemaOr(schema)
    if schema.properties or schema.name == _EMPTY_STRUCT:
        return _Struct(schema)
    if schema.additional is not None:
        return _Map(schema.additional)
    return _List(schema.items) if schema.items is not None else _single(schema)


def _single(schema: ResolvedSchema) -> _Plan:
    scalar = SCALARS.get((schema.type, schema.format)) or SCALARS.get((schema.type, ""))
    return _Scalar(*scalar) if scalar else _Raw()


class _Scalar:
    def __init__(self, take: Callable[[Any], Any], zero: Any) -> None:
        self._take = take
        self._zero = zero
        self.plain = _PLAIN.get(take)

    def convert(self, value: Any, strangers: list[str]) -> Any:  # noqa: ARG002
        return self._take(value)

    def zero(self) -> Any:
        return self._zero

    def unknown(self, value: Any, path: str) -> Iterator[str]:  # noqa: ARG002
        return iter(())


class _Raw:
    """Any JSON: RawExtension, FieldsV1, JSON."""

    def convert(self, value: Any, strangers: list[str]) -> Any:  # noqa: ARG002
        return value

    def zero(self) -> Any:
        return None

    def unknown(self, value: Any, path: str) -> Iterator[str]:  # noqa: ARG002
        return iter(())


class _List:
    def __init__(self, items: ResolvedSchema) -> None:
        self._items = items

    def convert(self, value: Any, strangers: list[str]) -> list[Any]:
        if type(value) is not list:
            raise Mismatch(value, f"[]{_go_type(self._items)}")
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        plan = _plan(self._items)
        convert = plan.convert
        return [plan.zero() if item is None else convert(item, strangers) for item in items]

    def zero(self) -> Any:
        return None

    def unknown(self, value: list[Any], path: str) -> Iterator[str]:
        plan = _plan(self._items)
        for index, item in enumerate(value):
            if item is not None:
                yield from plan.unknown(item, f"{path}[{index}]")


class _Map:
    """Keys are free, and sorted. Maps of quantities are resource lists, which count thousandths."""

    def __init__(self, values: ResolvedSchema) -> None:
        self._values = values
        self._plan: _Plan | None = None

    def _values_plan(self) -> _Plan:
        if self._plan is None:
            amounts = self._values.is_quantity
            self._plan = (
                _Scalar(scalar_decoding.milli_quantity, "0") if amounts else _plan(self._values)
            )
        return self._plan

    def convert(self, value: Any, strangers: list[str]) -> dict[str, Any]:
        if type(value) is not dict:
            raise Mismatch(value, f"map[string]{_go_type(self._values)}")
        members: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        plan = self._values_plan()
        convert = plan.convert
        return {
            key: plan.zero() if members[key] is None else convert(members[key], strangers)
            for key in sorted(members)
        }

    def zero(self) -> Any:
        return None

    def unknown(self, value: dict[str, Any], path: str) -> Iterator[str]:
        plan = self._values_plan()
        for key, item in value.items():
            if item is not None:
                yield from plan.unknown(item, f"{path}.{key}" if path else key)


class _Field(NamedTuple):
    """A field of a struct.

    Attributes:
        convert: converts its values.
        droppable: whether it is left out when it is empty.
        plain: the type of values that are in their form; None if every value is converted.
    """

    convert: Callable[[Any, list[str]], Any]
    droppable: bool
    plain: type | None


class _Struct:
    """An object of named fields."""

    def __init__(self, schema: ResolvedSchema) -> None:
        self._schema = schema
        self._fields: dict[str, _Field] = {}
        self._always: list[tuple[str, Callable[[], Any]]] = []

    def _compile(self) -> dict[str, _Field]:
        """Look at the fields: when they are first needed, as types may hold themselves."""
        special = presence(self._schema.name)
        always = (special.always | set(self._schema.required)) - special.droppable
        for name, schema in self._schema.properties.items():
            plan = _plan(schema)
            pointer = name in special.pointers
            own = isinstance(plan, _Struct | _Raw | _SchemaOr) or schema.name in _SELF_ENCODED
            convert = plan.convert
            if self._schema.kinds and isinstance(plan, _Struct) and name != "metadata":
                convert = _LargePart(plan).convert
            plain = plan.plain if isinstance(plan, _Scalar) else None
            self._fields[name] = _Field(convert, not pointer and not own, plain)
            if name in always:
                self._always.append((name, _nothing if pointer else plan.zero))
        return self._fields

    def convert(self, value: Any, strangers: list[str]) -> dict[str, Any]:
        if type(value) is not dict:
            raise Mismatch(value, _go_type(self._schema))
        members: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        fields = self._fields or self._compile()
        made: dict[str, Any] = {}
        key = ""
        try:
            for key, item in members.items():
                field = fields.get(key)
                if field is None:
                    strangers.append(key)
                elif item is not None:
                    plain = type(item) is field.plain
                    new = item if plain else field.convert(item, strangers)
                    if new or not field.droppable:
                        made[key] = new
        except Mismatch as mismatch:
            mismatch.owner = mismatch.owner or self._schema.name.rpartition(".")[2]
            mismatch.path.insert(0, key)
            raise
        for key, zero in self._always:
            if key not in made:
                made[key] = zero()
        return made

    def zero(self) -> dict[str, Any]:
        return self.convert({}, [])

    def unknown(self, value: dict[str, Any], path: str) -> Iterator[str]:
        properties = self._schema.properties
        for key, item in value.items():
            where = f"{path}.{key}" if path else key
            if key not in properties:
                yield where
            elif item is not None:
                yield from _plan(properties[key]).unknown(item, where)


class _LargePart:
    """A large part of an object, such as its spec. Many objects have the same one."""

    def __init__(self, plan: _Struct) -> None:
        self._plan = plan
        self._known = Conversions()

    def convert(self, value: Any, strangers: list[str]) -> Any:
        text = encoded(value)
        known = self._known.get(text)
        if known is not None:
            return json.decode(known)
        before = len(strangers)
        made = self._plan.convert(value, strangers)
        if len(strangers) == before:
            self._known.put(text, made)
        return made


class _SchemaOr:
    """A schema, or a boolean or list in its place; read leniently inside, as the server does."""

    def __init__(self, schema: ResolvedSchema) -> None:
        self._kind = schema.name.removeprefix(f"{_PROPS}Or")
        self._props = schema.sibling(_PROPS)

    def convert(self, value: Any, strangers: list[str]) -> Any:  # noqa: ARG002
        plan = _plan(self._props)
        if is_array(value) and self._kind == "Array":
            return [plan.convert(item, []) for item in value]
        if is_array(value) and self._kind == "StringArray":
            return [scalar_decoding.string(item) for item in value]
        if isinstance(value, bool) and self._kind == "Bool":
            return value
        return plan.convert(value, [])

    def zero(self) -> Any:
        return None

    def unknown(self, value: Any, path: str) -> Iterator[str]:  # noqa: ARG002
        return iter(())


def _nothing() -> None:
    return None


def _go_type(schema: ResolvedSchema) -> str:
    """Name the type in messages, more or less as Go does."""
    if schema.name:
        package, _, name = schema.name.rpartition(".")
        return f"{package.rpartition('.')[2]}.{name}"
    if schema.items is not None:
        return f"[]{_go_type(schema.items)}"
    if schema.additional is not None:
        return f"map[string]{_go_type(schema.additional)}"
    return {"boolean": "bool", "integer": schema.format}.get(schema.type, schema.type)

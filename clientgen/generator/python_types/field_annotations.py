"""The annotations of fields, evaluated from the source, and which of them an API can hold.

At run time the runtime's `Literal` is `str`, so that values of a newer server decode; for a schema
the values are wanted. So what is written is evaluated again, with `typing.Literal` in its place.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import json
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

import msgspec

from clientgen.runtime._models import model as runtime_model
from clientgen.runtime._models.model import Model, Raw
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.unions import BadUnionError, choice_of

_LITERAL = "__literal__"
# Enumerations of texts and of numbers, as members of a union.
_TEXTS, _NUMBERS = "texts", "numbers"
_UNIONS: tuple[set[Any], ...] = (
    {int, str},
    {_TEXTS, str},
    {str},
    {_NUMBERS, int},
    {int},
    {_TEXTS, int},
    {int, float},
)
_PLAIN = (str, int, float, bool, bytes, Quantity, Raw)


def namespace_with(
    module: Mapping[str, Any], aliases: Mapping[str, ast.expr], types: Mapping[str, Any]
) -> dict[str, Any]:
    """The names of a module, as annotations are to see them.

    Args:
        module: what the module holds at run time.
        aliases: the assignments in its source.
        types: names whose value is known better than by the module.
    """
    runtime_literal: object = vars(runtime_model)["Literal"]
    names = {name: Literal if value is runtime_literal else value for name, value in module.items()}
    names.update(types, **{_LITERAL: Literal})
    names.update(literal_aliases(names, aliases))
    return names


def literal_aliases(names: dict[str, Any], aliases: Mapping[str, ast.expr]) -> dict[str, Any]:
    """The aliases that are made of literals, which the module itself holds as `str`."""
    values: dict[str, Any] = {}
    for name, node in aliases.items():
        if not _mentions(node, names, values):
            continue
        # An expression that is no type raises; the import has decided its meaning.
        with contextlib.suppress(Exception):
            values[name] = evaluate(node, {**names, **values})
    return values


def _mentions(node: ast.expr, names: Mapping[str, Any], aliases: Mapping[str, Any]) -> bool:
    """Return whether an expression is made of literals: by name, or by way of another alias."""
    return any(
        (isinstance(part, ast.Name) and (names.get(part.id) is Literal or part.id in aliases))
        or (isinstance(part, ast.Attribute) and part.attr == "Literal")
        for part in ast.walk(node)
    )


def evaluate(node: ast.expr, names: dict[str, Any], local: Mapping[str, Any] | None = None) -> Any:
    """Evaluate an annotation.

    Args:
        node: what is written.
        names: of the module, see `namespace_with`.
        local: names of the class around it.

    Raises:
        Exception: whatever evaluating raises.
    """
    prepared = ast.fix_missing_locations(ast.Expression(_Prepare().visit(_copy(node))))
    return eval(compile(prepared, "<annotation>", "eval"), names, dict(local or {}))  # noqa: S307


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Prepare(ast.NodeTransformer):
    """Quoted types become types, and `model.Literal` the Literal of typing."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Read a forward reference."""
        if not isinstance(node.value, str):
            return node
        quoted: ast.AST = self.visit(ast.parse(node.value.strip(), mode="eval").body)
        return quoted

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Leave the values of literals and the metadata of Annotated alone."""
        name = _last_name(node.value)
        if name == "Literal":
            if isinstance(node.value, ast.Attribute):
                node.value = ast.Name(_LITERAL, ast.Load())
            return node
        if name == "Annotated" and isinstance(node.slice, ast.Tuple):
            first, *metadata = node.slice.elts
            node.slice.elts = [self.visit(first), *metadata]
            return node
        return self.generic_visit(node)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def unsupported(annotation: Any) -> tuple[str, str] | None:
    """Return the problem of an annotation that no API can hold, and a hint; None if it is right."""
    annotation = unalias(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    inside = _GENERIC.get(origin)
    if inside:
        return inside(arguments)
    if _is_model(annotation) or _is_model(origin):
        return None
    return None if annotation in _PLAIN else _refused(annotation, origin)


def models_in(annotation: Any) -> list[type[Model]]:
    """Every model class an annotation speaks of, in order."""
    annotation = unalias(annotation)
    if _is_model(annotation):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def unalias(annotation: Any) -> Any:
    """Return the type that `type Name = ...` of newer Pythons, or NewType, stands for."""
    alias = getattr(typing, "TypeAliasType", None)
    if alias is not None and isinstance(annotation, alias):
        return unalias(annotation.__value__)
    if isinstance(annotation, typing.NewType):
        return unalias(annotation.__supertype__)
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Model)


def _annotated(arguments: tuple[Any, ...]) -> tuple[str, str] | None:
    inner, *metadata = arguments
    if inner is datetime and any(isinstance(m, msgspec.Meta) and m.tz for m in metadata):
        return None
    return unsupported(inner)


def _union(arguments: tuple[Any, ...]) -> tuple[str, str] | None:
    members = [part for part in map(unalias, arguments) if part is not type(None)]
    for member in members:
        refused = unsupported(member)
        if refused:
            return refused
    plain = {_bare(member) for member in members}
    if len(members) == 1 or plain in _UNIONS:
        return None
    if all(map(_is_model, members)):
        return _union_of_models(tuple(members))
    shown = " | ".join(map(_name, members))
    hint = "write `IntOrString` for a number or a string, and `Raw` for any JSON"
    return f"a union of several types, `{shown}`", hint


def _union_of_models(members: tuple[Any, ...]) -> tuple[str, str] | None:
    try:
        choice_of(members)
    except BadUnionError as error:
        return f"a union whose types cannot be told apart: {error.what}", error.hint
    except Exception:  # noqa: BLE001 - a member whose own fields are wrong, which is told there
        return None
    return None


def _bare(annotation: Any) -> Any:
    """The type without its constraints; one value for all enumerations of a type."""
    if get_origin(annotation) is Annotated:
        return _bare(unalias(get_args(annotation)[0]))
    if get_origin(annotation) is Literal:
        return _NUMBERS if isinstance(get_args(annotation)[0], int) else _TEXTS
    return annotation


def _literal(values: tuple[Any, ...]) -> tuple[str, str] | None:
    kinds: set[type] = {type(value) for value in values}
    if kinds in ({str}, {int}):
        return None
    other = next(value for value in values if type(value) is not str)
    return f"`{other!r}` in a Literal", "write only strings, or only integers"


def _map(key: Any, value: Any) -> tuple[str, str] | None:
    bare = _bare(unalias(key))
    if bare not in (str, _TEXTS):
        return f"a map with keys of `{_name(key)}`", "JSON keys are strings: write `dict[str, ...]`"
    return unsupported(key) or unsupported(value)


_GENERIC: Mapping[Any, Callable[[tuple[Any, ...]], tuple[str, str] | None]] = {
    Annotated: _annotated,
    Union: _union,
    types.UnionType: _union,
    Literal: _literal,
    list: lambda arguments: unsupported(arguments[0]),
    dict: lambda arguments: _map(*arguments),
}
_TEXT = "write `str`, and describe the format in its docstring"
_REFUSED: Mapping[Any, str] = {
    Any: "write `Raw` (of clientgen.runtime.models) for JSON of any shape",
    object: "write `Raw` (of clientgen.runtime.models) for JSON of any shape",
    dict: "write its value type: `dict[str, str]`, or `dict[str, Raw]` for JSON of any shape",
    list: "write the type of its items: `list[str]`",
    tuple: "write `list[...]`; a Model gives each position a name",
    set: "write `list[...]` with the marker `+listType=set`",
    frozenset: "write `list[...]` with the marker `+listType=set`",
    complex: "write a Model with a field for each part",
    datetime: "write `Time` (of clientgen.runtime.models), which has a time zone",
    date: _TEXT,
    time: _TEXT,
    timedelta: "write `str` for a duration as Go writes it (`1h30m`), or `int` for seconds",
    Decimal: "write `Quantity` (of clientgen.runtime.models)",
    UUID: _TEXT,
    bytearray: "write `bytes`",
    memoryview: "write `bytes`",
}


def _refused(annotation: Any, origin: Any) -> tuple[str, str]:
    shown = f"`{_name(annotation)}`"
    hint = _REFUSED.get(_key(annotation if origin is None else origin))
    if annotation is None:
        hint = "write the type that it has when it is present: `str | None`"
    elif isinstance(annotation, TypeVar):
        return f"{shown}, which is a type variable", "write the type"
    elif isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        values = ", ".join(json.dumps(member.value, default=str) for member in annotation)
        hint = f"write `Literal[{values}]`, or add `| str` if later versions may have more values"
        return f"the enumeration {shown}", hint
    elif _is_record(annotation):
        hint = "derive it from clientgen.runtime.models.Model"
        return f"{shown}, which is not a Model", hint
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        hint = "write `dict[str, ...]`"
    return shown, hint or "write a Model, `list[...]`, `dict[str, ...]` or a plain type"


def _is_record(annotation: Any) -> bool:
    """Return whether it is a class with fields of another library."""
    if dataclasses.is_dataclass(annotation) or typing.is_typeddict(annotation):
        return True
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


def _key(annotation: Any) -> Any:
    try:
        hash(annotation)
    except TypeError:
        return ""
    return annotation


def _name(annotation: Any) -> str:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("clientgen.runtime._models.model.", "")

"""Errors for fields that a model does not have: constructor arguments and attributes.

Type checkers find the same mistakes. These errors are for code without a type checker, and for the
interactive prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import NODEFAULT, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

# The minimum similarity for a hint (difflib). `deployments` and `endpoints` have 0.6 and are not
# similar.
_MIN_SIMILARITY = 0.65

# Modules of libraries whose field functions are easily mistaken for `field` of models.
_FOREIGN_MODULES = frozenset({"attr._make", "dataclasses", "pydantic.fields"})


class UnknownAttribute:
    """The message about an unknown attribute, with a similar name as a hint.

    The similar name is looked up only when the message is read: `hasattr` and `getattr` with a
    default drop the error without reading it, and must stay fast.

    Args:
        kind: the class of a model or client. A model also accepts names on the wire for hints.
        name: the unknown attribute.
    """

    __slots__ = ("_kind", "_name")

    def __init__(self, kind: type[object], name: str) -> None:
        self._kind = kind
        self._name = name

    def __str__(self) -> str:
        hint = "" if self._name.startswith("__") else self._hint()
        return f"{self._kind.__name__!r} object has no attribute {self._name!r}{hint}"

    def _hint(self) -> str:
        if issubclass(self._kind, Struct):
            return field_hint(self._kind, self._name)
        public = [name for name in dir(self._kind) if not name.startswith("_")]
        return _similar_hint(self._name, {_normalized(name): name for name in public})

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def public_attributes(obj: object, *internal: str) -> list[str]:
    """Return the public attributes of an object, for `dir()` and completion.

    Args:
        obj: the object.
        internal: the attributes without an underscore that only the runtime uses.
    """
    return [
        name
        for name in object.__dir__(obj)
        if (not name.startswith("_") or name.startswith("__")) and name not in internal
    ]


def check_field_functions(model: str, namespace: Mapping[str, object]) -> None:
    """Check that a class does not declare its fields with a function of another library.

    Raises:
        TypeError: a field is declared with `dataclasses.field`, for example. The result of that
            function would become the default of the field.
    """
    for name, value in namespace.items():
        module = type(value).__module__
        if module in _FOREIGN_MODULES:
            library = module.partition(".")[0]
            raise TypeError(
                f"{model}.{name} is declared with a function of {library}, which models do not"
                " support: write `from clientgen.runtime.models import field`, which takes default="
                " and default_factory=, too"
            )


def construction_error(
    model: type[Struct], values: Mapping[str, object], *, has_positional: bool
) -> str:
    """Return the problems of the arguments of a model's constructor; empty if there are none.

    Arguments have the Python names of fields. For a name on the wire, the message has the Python
    name as a hint.
    """
    name, fields = model.__name__, model.__struct_fields__
    if has_positional:
        example = f", such as {name}({fields[0]}=...)" if fields else ""
        return f"{name} takes its fields as keyword arguments{example}"
    unknown = [each for each in values if each not in fields]
    problems = [f"{name} has no field {each!r}{field_hint(model, each)}" for each in unknown]
    missing = [each for each in _required_fields(model) if each not in values]
    if missing:
        problems.append(f"{name} needs {' and '.join(map(repr, missing))}")
    return "; ".join(problems)


def _required_fields(model: type[Struct]) -> list[str]:
    fields, defaults = model.__struct_fields__, model.__struct_defaults__
    every = (*[NODEFAULT] * (len(fields) - len(defaults)), *defaults)
    return [name for name, default in zip(fields, every, strict=True) if default is NODEFAULT]


def field_hint(model: type[Struct], name: str) -> str:
    """Return a hint for a wrong name: the field with a similar name, in Python or on the wire."""
    spellings = {
        _normalized(each): field
        for field, wire in zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
        for each in (wire, field)
    }
    return _similar_hint(name, spellings)


def _similar_hint(name: str, spellings: Mapping[str, str]) -> str:
    """Return a hint for a wrong name: the most similar of the given spellings."""
    from difflib import get_close_matches  # imported late: only messages need it

    like = get_close_matches(_normalized(name), spellings, 1, _MIN_SIMILARITY)
    return f"; did you mean {spellings[like[0]]!r}?" if like else ""


def _normalized(name: str) -> str:
    return name.replace("_", "").lower()

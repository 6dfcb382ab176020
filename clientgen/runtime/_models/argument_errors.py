"""The errors for fields that a model does not have: in its constructor and as attributes.

Type checkers find the same mistakes. The error is for code without one, and for the prompt.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from msgspec import NODEFAULT, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UnknownAttribute", "construction_error", "foreign_field", "public_attributes"]

# `deployments` is not meant to be `endpoints`, whose similarity is 0.6.
_MIN_SIMILARITY = 0.65

# Libraries whose declarations of fields look like those of models.
_FOREIGN = frozenset({"attr._make", "dataclasses", "pydantic.fields"})


class UnknownAttribute:
    """The message about an unknown attribute. What was meant is looked for when it is read.

    Args:
        kind: the class: of a model, whose names on the wire are known as well, or of a client.
        name: the attribute.
    """

    __slots__ = ("_kind", "_name")

    def __init__(self, kind: type[object], name: str) -> None:
        self._kind = kind
        self._name = name

    def __str__(self) -> str:
        meant = "" if self._name.startswith("__") else self._meant()
        return f"{self._kind.__name__!r} object has no attribute {self._name!r}{meant}"

    def _meant(self) -> str:
        if issubclass(self._kind, Struct):
            return _meant(self._kind, self._name)
        public = [name for name in dir(self._kind) if not name.startswith("_")]
        return _like(self._name, {_letters(name): name for name in public})

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def public_attributes(client: object) -> list[str]:
    """Return the names of attributes that programs use: for `dir()` and completion."""
    return [
        name for name in object.__dir__(client) if not name.startswith("_") or name.startswith("__")
    ]


def foreign_field(model: str, namespace: Mapping[str, object]) -> None:
    """See to it that a class declares its fields by the functions for models.

    Raises:
        TypeError: a field is declared as in a dataclass. It would be the value of the field.
    """
    for name, value in namespace.items():
        module = type(value).__module__
        if module in _FOREIGN:
            library = module.partition(".")[0]
            raise TypeError(
                f"{model}.{name} is declared by a function of {library}, which models do not know:"
                " write `from clientgen.runtime.models import field`, which takes default= and"
                " default_factory= as well"
            )


def construction_error(
    model: type[Struct], values: Mapping[str, object], *, has_positional: bool
) -> str:
    """Say what is wrong with the arguments a model is made of; empty if nothing is.

    Fields are known by what they are called in Python. Who writes the name on the wire is told.
    """
    name, fields = model.__name__, model.__struct_fields__
    if has_positional:
        example = f", such as {name}({fields[0]}=...)" if fields else ""
        return f"{name} takes its fields by keywords{example}"
    unknown = [each for each in values if each not in fields]
    problems = [f"{name} has no field {each!r}{_meant(model, each)}" for each in unknown]
    missing = [each for each in _required(model) if each not in values]
    if missing:
        problems.append(f"{name} needs {' and '.join(map(repr, missing))}")
    return "; ".join(problems)


def _required(model: type[Struct]) -> list[str]:
    fields, defaults = model.__struct_fields__, model.__struct_defaults__
    every = (*[NODEFAULT] * (len(fields) - len(defaults)), *defaults)
    return [name for name, default in zip(fields, every, strict=True) if default is NODEFAULT]


def _meant(model: type[Struct], name: str) -> str:
    """Return a hint for a wrong name: an attribute with this or a similar name on the wire."""
    spellings = {
        _letters(each): field
        for field, wire in zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
        for each in (wire, field)
    }
    return _like(name, spellings)


def _like(name: str, spellings: Mapping[str, str]) -> str:
    """Return a hint for a wrong name: the one with similar letters."""
    like = get_close_matches(_letters(name), spellings, 1, _MIN_SIMILARITY)
    return f"; did you mean {spellings[like[0]]!r}?" if like else ""


def _letters(name: str) -> str:
    return name.replace("_", "").lower()

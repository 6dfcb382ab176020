"""The error for wrong arguments of a model's constructor.

Type checkers find the same mistakes. The error is for code without one, and for the prompt.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from msgspec import NODEFAULT, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["construction_error"]


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
    like = get_close_matches(_letters(name), spellings, 1)
    return f"; did you mean {spellings[like[0]]!r}?" if like else ""


def _letters(name: str) -> str:
    return name.replace("_", "").lower()

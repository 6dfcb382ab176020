"""What a call is given, looked at before anything is sent.

Type checkers find the same. These errors are for those who have none, and at a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from msgspec import NODEFAULT

from .model import Model

__all__ = ["check_function", "check_object", "misbuilt", "misnamed", "named"]


def check_object(call: str, body: object) -> None:
    """See to it that what is to be sent is an object.

    Raises:
        TypeError: it is neither a model nor a mapping.
    """
    if not isinstance(body, (Model, Mapping)):
        hint = f": make one, {body.__name__}(...)" if isinstance(body, type) else ""
        raise TypeError(f"{call} takes an object, a model or a mapping, not {named(body)}{hint}")


def check_function(what: str, value: object) -> None:
    """See to it that something can be called.

    Raises:
        TypeError: it cannot.
    """
    if not callable(value):
        raise TypeError(f"{what} is a function, not {named(value)}")


def named(value: object) -> str:
    """Say what a value is, by its type alone: it may hold secrets."""
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def misnamed(client: object, accessor: str, name: str) -> str:
    """Say that a client has no such attribute: a call that needs a namespace, or a slip.

    Args:
        client: the client of all namespaces, or of one.
        accessor: what hands it out.
        name: what was looked for.
    """
    kind = type(client)
    public = [each for each in dir(kind) if not each.startswith("_")]
    calls = [each for each in public if callable(getattr(kind, each))]
    if any(hasattr(narrower, name) for narrower in kind.__subclasses__()):
        has = f"{', '.join(calls[:-1])} and {calls[-1]}" if calls[1:] else "".join(calls)
        return (
            f"{accessor}() of all namespaces has {has}:"
            f' {name} is of one, say {accessor}("NAMESPACE").{name}(...)'
        )
    like = get_close_matches(name, calls, 1)
    hint = f"; did you mean {like[0]!r}?" if like else ""
    return f"{kind.__name__!r} object has no attribute {name!r}{hint}"


def misbuilt(model: type[Model], values: Mapping[str, object], *, has_positional: bool) -> str:
    """Say what is wrong with the arguments a model is made of; empty if nothing is.

    Fields are known by what they are called in Python. Who writes the name on the wire is told.
    """
    name, fields = model.__name__, model.__struct_fields__
    if has_positional:
        example = f", such as {name}({fields[0]}=...)" if fields else ""
        return f"{name} takes its fields by keywords{example}"
    unknown = [each for each in values if each not in fields]
    said = [f"{name} has no field {each!r}{_meant(model, each)}" for each in unknown]
    missing = [each for each in _required(model) if each not in values]
    if missing:
        said.append(f"{name} needs {' and '.join(map(repr, missing))}")
    return "; ".join(said)


def _required(model: type[Model]) -> list[str]:
    fields, defaults = model.__struct_fields__, model.__struct_defaults__
    every = (*[NODEFAULT] * (len(fields) - len(defaults)), *defaults)
    return [name for name, default in zip(fields, every, strict=True) if default is NODEFAULT]


def _meant(model: type[Model], name: str) -> str:
    """What a wrong name may have been meant for: a name on the wire, or one that is like it."""
    spellings = {
        _letters(each): field
        for field, wire in zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
        for each in (wire, field)
    }
    like = get_close_matches(_letters(name), spellings, 1)
    return f"; did you mean {spellings[like[0]]!r}?" if like else ""


def _letters(name: str) -> str:
    return name.replace("_", "").lower()

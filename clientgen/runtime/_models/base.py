"""The class beneath every model, and the metaclass that reads the declarations of models.

Declarations are read once, when a class is made. The code that inspects, copies and shows models
stands on this module; `Model`, which offers it as methods, stands on that code.
"""

from __future__ import annotations

from collections import ChainMap
from contextlib import suppress
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec import Raw, Struct

from .argument_errors import UnknownAttribute, construction_error, foreign_field
from .class_annotations import declared_annotations
from .empties import note_empties
from .quantity_fields import given_quantities, quantity_fields, to_quantities

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature

    from msgspec import StructMeta
else:
    StructMeta = type(Struct)

__all__ = ["NO_RAW", "ModelBase", "ModelMeta", "assign", "construct", "set_values"]

construct: Final[Callable[..., Any]] = StructMeta.__call__
"""Makes an object of a class, its first argument, without a look at what else is given."""

assign: Final[Callable[[Any, str, Any], None]] = Struct.__setattr__
"""Assigns an attribute, without a look at what it is given."""

NO_RAW = Raw()
"""The absence of a `Raw` field: a `Raw` cannot be in a union, so it cannot be None."""


class ModelMeta(StructMeta):
    """Makes every model keyword-only, and reads what its fields are declared with."""

    def __new__(  # noqa: PYI034 - a metaclass has no Self
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        sensitive: tuple[str, ...] = (),
        open_ended: bool = False,
        partial: tuple[str, ...] = (),
        kw_only: bool = True,
        **config: Any,
    ) -> ModelMeta:
        """Create the class; `sensitive` names the attributes no repr may show."""
        if open_ended:
            namespace["__open_ended__"] = True
        if partial:
            namespace["__partial__"] = frozenset(partial)
        if sensitive:
            namespace["__sensitive__"] = frozenset(sensitive)
        if quantities := quantity_fields(declared_annotations(namespace)):
            others = [getattr(base, "__quantities__", ()) for base in bases]
            namespace["__quantities__"] = quantities.union(*others)
            namespace.setdefault("__setattr__", _assign_quantity)
        foreign_field(name, namespace)
        note_empties(namespace)
        if constants := _constants(namespace):
            inherited = (getattr(base, "__constants__", {}) for base in reversed(bases))
            namespace["__constants__"] = dict(ChainMap(constants, *inherited))
        if constants or any(getattr(v, "default", None) is NO_RAW for v in namespace.values()):
            namespace.setdefault("__reduce__", _reduce)
        return super().__new__(mcs, name, bases, namespace, kw_only=kw_only, **config)

    @property
    def __signature__(cls) -> Signature:  # noqa: N805
        """The arguments, with types as people write them; for `inspect` and `help`."""
        from .signatures import readable  # only prompts need it

        made: Signature = StructMeta.__signature__.__get__(cls)
        return readable(made, getattr(cls, "__constants__", {}))

    if not TYPE_CHECKING:  # checkers know better what each class takes

        def __call__(cls, /, *positional: object, **values: object) -> object:  # noqa: N805
            """Make an object; a TypeError names the class, and what was meant.

            Texts and numbers become quantities where these are wanted.
            """
            if fields := cls.__quantities__:
                values.update(given_quantities(cls.__name__, fields, values))
            try:
                return construct(cls, *positional, **values)
            except TypeError as error:
                what = construction_error(cls, values, has_positional=bool(positional))
                raise (TypeError(what) if what else error) from None


def _constants(namespace: dict[str, Any]) -> dict[str, object]:
    """Return the values of the fields that a class declares to be `constant`."""
    declared = {name: getattr(value, "default_factory", None) for name, value in namespace.items()}
    return {
        name: make()
        for name, make in declared.items()
        if make is not None and isinstance(getattr(make, "__self__", None), repeat)
    }


def _assign(self: ModelBase, name: str, value: object) -> None:
    """Assign an attribute; an error says what was meant."""
    try:
        assign(self, name, value)
    except AttributeError:
        raise AttributeError(UnknownAttribute(type(self), name), name=name) from None


def _assign_quantity(self: ModelBase, name: str, value: object) -> None:
    """Assign an attribute of a class with quantities: texts and numbers become some.

    Assigning is not checked: what is no quantity is left for the server to refuse.
    """
    if name in self.__quantities__:
        with suppress(ValueError):
            value = to_quantities(value)
    _assign(self, name, value)


def _reduce(self: ModelBase) -> tuple[Callable[..., ModelBase], tuple[Any, ...]]:
    """Pickle what is set: the very objects that stand for what nobody set are found again."""
    return _restore, (type(self), set_values(self))


def _restore(model: type[ModelBase], values: dict[str, Any]) -> ModelBase:
    restored: ModelBase = construct(model, **values)
    return restored


def set_values(model: ModelBase) -> dict[str, Any]:
    """Return the attributes and their values, without constants and raw JSON that nobody set."""
    unset = model.__constants__
    values = {name: getattr(model, name) for name in model.__struct_fields__}
    return {n: v for n, v in values.items() if v is not unset.get(n, NO_RAW)}


class ModelBase(
    Struct,
    metaclass=ModelMeta,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,  # models hold no back references, so they cannot be part of a cycle
    rename="camel",
    repr_omit_defaults=True,
):
    """The configuration of every model's struct, and what its declarations say besides its fields.

    Models inherit from `Model`.
    """

    __sensitive__: ClassVar[frozenset[str]] = frozenset()
    """Attributes whose values no repr shows; declared as `class Secret(Model, sensitive=(...))`."""

    __open_ended__: ClassVar[bool] = False
    """Whether the API takes fields it does not name: `class Driver(Model, open_ended=True)`."""

    __quantities__: ClassVar[frozenset[str]] = frozenset()
    """Attributes that hold quantities; set by the metaclass."""

    __constants__: ClassVar[dict[str, object]] = {}
    """The values of constant attributes, which are objects of their own; set by the metaclass."""

    __partial__: ClassVar[frozenset[str]] = frozenset()
    """Attributes in which the API takes objects without what their classes require."""

    if not TYPE_CHECKING:  # to checkers there is nothing but what is declared
        __setattr__ = _assign

        def __getattr__(self, name: str) -> object:
            """Raise an error that says what was meant, if somebody reads it: `hasattr` does not."""
            raise AttributeError(UnknownAttribute(type(self), name), name=name)

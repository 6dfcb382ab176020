"""The base class of `Model`, and the metaclass that reads the declarations of models.

Declarations are read once, when a class is created. The modules that inspect, copy and show models
import this module. `Model` imports those modules and offers them as methods.
"""

from __future__ import annotations

from collections import ChainMap
from contextlib import suppress
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec import Raw, Struct
from msgspec.structs import force_setattr

from .argument_errors import UnknownAttribute, check_field_functions, construction_error
from .class_annotations import declared_annotations
from .empties import annotate_for_decoding
from .quantity_fields import given_quantities, quantity_fields, to_quantities

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature

    from msgspec import StructMeta
else:
    StructMeta = type(Struct)

construct: Final[Callable[..., Any]] = StructMeta.__call__
"""Creates an object of the class that is the first argument, without checks and conversions."""

assign: Final[Callable[[Any, str, Any], None]] = force_setattr
"""Assigns an attribute, without conversions and hints, also of a frozen object."""

# Values in class bodies that declare nothing but a default, or are no fields.
_PLAIN = frozenset({type(None), str, bool, int})

NO_RAW = Raw()
"""The value of an absent `Raw` field: msgspec has no union with `Raw`, so it cannot be None."""


class ModelMeta(StructMeta):
    """Reads the declarations of a model's fields, and makes its constructor keyword-only."""

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
        """Create a model class.

        Args:
            name: the name of the class.
            bases: its base classes.
            namespace: the names in the body of the class.
            sensitive: the attributes that no repr shows.
            open_ended: whether the API takes fields that the class does not declare.
            partial: the attributes whose objects may lack required fields.
            kw_only: always true; msgspec would take positional arguments otherwise.
            config: the other settings of a msgspec struct.
        """
        if open_ended:
            namespace["__open_ended__"] = True
        if partial:
            namespace["__partial__"] = frozenset(partial)
        if sensitive:
            namespace["__sensitive__"] = frozenset(sensitive)
        declared = {k: v for k, v in namespace.items() if v.__class__ not in _PLAIN}
        if quantities := quantity_fields(declared_annotations(namespace)):
            others = [getattr(base, "__quantities__", ()) for base in bases]
            namespace["__quantities__"] = quantities.union(*others)
            namespace.setdefault("__setattr__", _assign_quantity)
        check_field_functions(name, declared)
        # Views are not sent, so that empty lists need no classes of their own.
        annotate_for_decoding(namespace, rejects_empty=not config.get("frozen"))
        if constants := _constants(declared):
            inherited = (getattr(base, "__constants__", {}) for base in reversed(bases))
            namespace["__constants__"] = dict(ChainMap(constants, *inherited))
        # Constants and NO_RAW are recognized by identity, which pickling by msgspec would lose.
        if constants or any(getattr(v, "default", None) is NO_RAW for v in declared.values()):
            namespace.setdefault("__reduce__", _reduce)
        return super().__new__(mcs, name, bases, namespace, kw_only=kw_only, **config)

    @property
    def __signature__(cls) -> Signature:  # noqa: N805
        """The constructor's signature with short type names, for `inspect` and `help`."""
        from .signatures import short_signature  # imported late: only interactive use needs it

        signature: Signature = StructMeta.__signature__.__get__(cls)
        return short_signature(signature, getattr(cls, "__constants__", {}))

    if not TYPE_CHECKING:  # type checkers derive the constructor from the fields

        @property
        def __doc__(cls) -> str | None:  # noqa: N805
            """The docstring of the class with the texts of its fields, for `help`."""
            from .field_texts import with_field_texts  # see __signature__

            return with_field_texts(cls)

        def __call__(cls, /, *positional: object, **values: object) -> object:  # noqa: N805
            """Create an object.

            Strings and numbers become quantities in fields of quantities. The message of a
            TypeError names the class and, for a misspelt field, the field with a similar name.
            """
            if fields := cls.__quantities__:
                values.update(given_quantities(cls.__name__, fields, values))
            try:
                return construct(cls, *positional, **values)
            except TypeError as error:
                message = construction_error(cls, values, has_positional=bool(positional))
                raise (TypeError(message) if message else error) from None


def _constants(declared: dict[str, Any]) -> dict[str, object]:
    """Return the values of the fields that a class body declares with `constant`."""
    return {
        name: make()
        for name, value in declared.items()
        if (make := getattr(value, "default_factory", None)) is not None
        and isinstance(getattr(make, "__self__", None), repeat)
    }


def _assign(self: ModelBase, name: str, value: object) -> None:
    """Assign an attribute. The error for an unknown name has a similar name as a hint."""
    try:
        assign(self, name, value)
    except AttributeError:
        raise AttributeError(UnknownAttribute(type(self), name), name=name) from None


def _assign_quantity(self: ModelBase, name: str, value: object) -> None:
    """Assign an attribute. In fields of quantities, strings and numbers become quantities.

    As in all models, assignments are not checked: a string that is not a quantity stays a string,
    and the server rejects it.
    """
    if name in self.__quantities__:
        with suppress(ValueError):
            value = to_quantities(value)
    _assign(self, name, value)


def _reduce(self: ModelBase) -> tuple[Callable[..., ModelBase], tuple[Any, ...]]:
    """Pickle the fields that are set.

    The defaults of other fields are recognized by identity, which pickling would lose.
    """
    return _restore, (type(self), set_values(self))


def _restore(model: type[ModelBase], values: dict[str, Any]) -> ModelBase:
    restored: ModelBase = construct(model, **values)
    return restored


def set_values(model: ModelBase) -> dict[str, Any]:
    """Return the values of attributes, without constants and raw JSON that are not set."""
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
    """The msgspec configuration of all models, and the declarations that are not fields.

    Models inherit from `Model`.
    """

    __sensitive__: ClassVar[frozenset[str]] = frozenset()
    """Attributes whose values no repr shows; declared as `class Secret(Model, sensitive=(...))`."""

    __open_ended__: ClassVar[bool] = False
    """Whether the API takes undeclared fields: `class Driver(Model, open_ended=True)`."""

    __quantities__: ClassVar[frozenset[str]] = frozenset()
    """Attributes that hold quantities; set by the metaclass."""

    __constants__: ClassVar[dict[str, object]] = {}
    """The values of constant attributes, to be recognized by identity; set by the metaclass."""

    __partial__: ClassVar[frozenset[str]] = frozenset()
    """Attributes whose objects the API takes even if required fields are missing in them."""

    if not TYPE_CHECKING:  # for type checkers, a model has the declared attributes only
        __setattr__ = _assign

        def __getattr__(self, name: str) -> object:
            """Raise an AttributeError with a similar name as a hint; see `UnknownAttribute`."""
            raise AttributeError(UnknownAttribute(type(self), name), name=name)

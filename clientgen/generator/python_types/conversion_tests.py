"""A property-based test of conversion functions: nothing is lost on the way there and back."""

from __future__ import annotations

import types
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast, get_args, get_origin

import msgspec

from clientgen.generator.python_types.conversions import (
    Draft,
    Pair,
    fields_to_convert,
    imports_of,
)
from clientgen.generator.python_types.field_annotations import unalias
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Model, Raw
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.union_stand_ins import UNIONS

_STRATEGIES: Final[dict[Any, str]] = {
    str: "st.text()",
    int: "st.integers(-(2**63), 2**63 - 1)",
    float: "st.floats(allow_nan=False, allow_infinity=False)",
    bool: "st.booleans()",
    bytes: "st.binary()",
    datetime: "st.datetimes(timezones=st.just(UTC))",
    Quantity: "st.integers(0, 999).map(Quantity)",
    Raw: 'st.sampled_from([Raw(b"1"), Raw(b"{}")])',
    ObjectMeta: "st.builds(ObjectMeta, name=st.text())",
    types.NoneType: "st.none()",
}
_LIMITS: Final = {"ge": "min_value", "le": "max_value"}
_LENGTHS: Final = {"min_length": "min_size", "max_length": "max_size"}


def round_trips(pairs: Sequence[Pair], modules: dict[str, str], functions_module: str) -> str:
    """Return the source of a module that tests conversion functions.

    Args:
        pairs: the classes of kinds that are converted.
        modules: the names of their modules.
        functions_module: the module with the functions.
    """
    strategies = _Strategies(modules)
    tests = [_test(strategies, pair) for pair in pairs]
    text = "\n".join([*strategies.texts.values(), "", "", *tests])
    used = [name for name in ("ObjectMeta", "Quantity", "Raw") if f"{name}" in text]
    imports = [
        "from datetime import UTC\n" if "UTC" in text else "",
        "from hypothesis import given",
        "from hypothesis import strategies as st\n",
        f"from clientgen.runtime.models import {', '.join(used)}" if used else "",
        *imports_of({**modules, functions_module: "conversions"}),
    ]
    top = '"""Conversions lose nothing on the way there and back."""\n'
    return "\n".join(
        [top, "from __future__ import annotations\n", *filter(None, imports), "", text]
    )


def _test(strategies: _Strategies, pair: Pair) -> str:
    there = strategies.draft.function(pair)
    back = strategies.draft.function(Pair(pair.new, pair.old))
    modules = strategies.draft.modules
    old, new = (modules[cls.__module__].replace(".", "_") for cls in (pair.old, pair.new))
    kind = back.removesuffix(f"_to_{old}")
    return (
        f"@given({strategies.of_model(pair.old)})\n"
        f"def test_a_{kind}_of_{old}_survives_{new}"
        f"(before: {strategies.draft.named(pair.old)}) -> None:\n"
        f"    assert conversions.{back}(conversions.{there}(before)) == before\n\n"
    )


class _Strategies:
    """The strategies of models, each under a name."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.draft = Draft(modules)
        self.texts: dict[type[Model], str] = {}
        self._names: dict[type[Model], str] = {}

    def of_model(self, cls: type[Model]) -> str:
        """The name of the strategy of a model."""
        if cls not in self._names:
            self._names[cls] = self.draft.function(Pair(cls, cls)).replace("_to_", "_").upper()
            fields = fields_to_convert(cls).values()
            arguments = [f"{each.attribute}={self._strategy(each.annotation)}" for each in fields]
            text = ", ".join([self.draft.named(cls), *arguments])
            self.texts[cls] = f"{self._names[cls]} = st.builds({text})"
        return self._names[cls]

    def _strategy(self, annotation: Any) -> str:
        annotation = unalias(annotation)
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            metas = [each for each in arguments[1:] if isinstance(each, msgspec.Meta)]
            return _limited(unalias(arguments[0]), metas, self._strategy(arguments[0]))
        if origin in UNIONS:
            return f"st.one_of({', '.join(map(self._strategy, arguments))})"
        if origin is Literal:
            return f"st.sampled_from([{', '.join(map(repr, arguments))}])"
        if origin is list:
            return f"st.lists({self._strategy(arguments[0])}, max_size=3)"
        if origin is dict:
            return f"st.dictionaries(st.text(), {self._strategy(arguments[1])}, max_size=3)"
        return self._named(annotation)

    def _named(self, annotation: Any) -> str:
        if annotation in _STRATEGIES:
            return _STRATEGIES[annotation]
        is_model = isinstance(annotation, type) and issubclass(annotation, Model)
        if is_model and annotation.__module__ in self.draft.modules:
            return self.of_model(cast("type[Model]", annotation))
        return f"TODO({annotation.__name__!r})"


def _limited(plain: Any, metas: Sequence[msgspec.Meta], strategy: str) -> str:
    """Return the strategy of a type with limits."""
    for meta in metas:
        if plain is str and meta.pattern is not None:
            return f"st.from_regex({meta.pattern!r})"
        given = [f"{to}={getattr(meta, of)}" for of, to in _LIMITS.items() if _has(meta, of)]
        if plain is int and given:
            return f"st.integers({', '.join(given)})"
        given = [f"{to}={getattr(meta, of)}" for of, to in _LENGTHS.items() if _has(meta, of)]
        if plain is str and given:
            return f"st.text({', '.join(given)})"
    return strategy


def _has(meta: msgspec.Meta, limit: str) -> bool:
    return getattr(meta, limit) is not None

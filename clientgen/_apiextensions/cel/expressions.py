"""Expressions: checked against the type of `self`, and run."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clientgen._text_cache import cached_if_short

from ..libraries import cel
from .cost import cost_of
from .functions import checked_functions, run_functions
from .mixed_literals import mixed_literals
from .named_formats import with_optionals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cost import Size
    from .declarations import Declared

__all__ = [
    "BadExpression",
    "EvaluationError",
    "check",
    "config",
    "cost",
    "evaluate",
    "uses_old_self",
]

_EXTENSIONS: Final = ("two-var-comprehensions", "lists", "sets", "optional", "bindings")
# Macros of the library whose functions it does not have, and one that Kubernetes does not have.
_MISSING: Final = re.compile(r"\.\s*transformMap(Entry)?\s*\(|\bcel\s*\.\s*bind\s*\(")
# Kubernetes compares numbers of different types, which the library's own declarations do not.
_REDECLARED: Final = ("_<_", "_<=_", "_>_", "_>=_")
_CALLED_WITH_LITERAL: Final = re.compile(
    r"\b(matches|find|findAll|duration|timestamp)\(\s*(r?'[^'\\]*'|r?\"[^\"\\]*\")\s*\)"
)


class BadExpression(ValueError):  # noqa: N818 - says what is bad
    """An expression that is none, or not of the wanted type."""


class EvaluationError(ValueError):
    """An expression that has no value for these objects."""


@cache
def config(*, runs: bool) -> Any:
    """Return the settings of environments that run expressions, or check them."""
    lines = ["extensions:", *(f"  - name: {name}" for name in _EXTENSIONS)]
    if not runs:
        lines += [
            "stdlib:",
            "  exclude_functions:",
            *(f"    - name: {name}" for name in _REDECLARED),
        ]
    return cel().NewEnvConfigFromYaml("\n".join(lines))


@cache
def _running() -> Any:
    names = dict.fromkeys(["self", "oldSelf", "previous"], cel().Type.DYN)
    return cel().NewEnv(config=config(runs=True), variables=names, functions=run_functions())


def check(text: str, declared: Declared, wanted: str, *, optional: bool, old: bool = True) -> None:
    """Make sure that an expression is one, of the type `wanted` (`BOOL` or `STRING`).

    Args:
        text: the expression.
        declared: the type of `self`.
        wanted: the name of the type it has to have.
        optional: whether `oldSelf` is an optional value.
        old: whether there is `oldSelf` at all.

    Raises:
        BadExpression: it is none.
    """
    variables = {"self": declared.type}
    if old:
        variables |= {"previous": declared.previous} if optional else {"oldSelf": declared.type}
    if _MISSING.search(text):
        raise BadExpression(f"compilation failed: undeclared reference in {text!r}")
    try:
        environment = cel().NewEnv(
            descriptor_pool=declared.pool,
            config=config(runs=False),
            variables=variables,
            functions=checked_functions(),
        )
    except RuntimeError as error:
        raise BadExpression(f"compilation failed: {_reason(error)}") from None
    rewritten = with_optionals(text)
    compiled = _checked(environment, _bound(rewritten) if optional and old else rewritten)
    if compiled.return_type().name() != wanted:
        raise BadExpression(f"must evaluate to a {wanted.lower()}")
    _check_literals(text)


def check_types(text: str, names: Iterable[str], wanted: tuple[str, ...]) -> None:
    """Make sure that an expression on values of any type is one, and has one of the `wanted` types.

    Raises:
        BadExpression: it is none.
    """
    environment = cel().NewEnv(
        config=config(runs=False),
        variables=dict.fromkeys(names, cel().Type.DYN),
        functions=checked_functions(),
    )
    type_name = compiled_type(environment, text).name()
    if wanted and type_name not in (*wanted, "DYN"):
        expected = " or ".join(wanted_name.lower() for wanted_name in wanted)
        raise BadExpression(f"must evaluate to {expected} but got {type_name.lower()}")


def compiled_type(environment: Any, text: str) -> Any:
    """Return the type of an expression.

    Raises:
        BadExpression: it is none.
    """
    return _checked(environment, with_optionals(text)).return_type()


def _checked(environment: Any, text: str) -> Any:
    """Compile an expression; its literals may not be of several types.

    Raises:
        BadExpression: it is none.
    """
    try:
        compiled = environment.compile(text)
    except RuntimeError as error:
        raise BadExpression(f"compilation failed: {_reason(error)}") from None
    mixed = mixed_literals(compiled.serialize()) if "," in text else []
    if mixed:
        errors = "\n".join(_error(text, position, why) for position, why in mixed)
        raise BadExpression(f"compilation failed: {errors}")
    return compiled


def _error(text: str, position: int, why: str) -> str:
    """Return an error at a position as the library writes it."""
    before = text[:position]
    column = position - before.rfind("\n") - 1
    line = text[position - column :].partition("\n")[0]
    where = f"<input>:{before.count(chr(10)) + 1}:{column + 1}"
    return f"ERROR: {where}: {why}\n | {line}\n | {'.' * column}^"


def _reason(error: RuntimeError) -> str:
    text = re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", str(error))
    return re.sub(r" not found in struct '[^']*'", "", text)


def _check_literals(text: str) -> None:
    for call in _CALLED_WITH_LITERAL.finditer(text):
        try:
            literal = f"''.{call[0]}" if call[1] in _ON_TEXT else call[0]
            _evaluate(_compiled(literal).expression, {})
        except (EvaluationError, RuntimeError) as error:
            raise BadExpression(f"compilation failed: {error}") from None


_ON_TEXT: Final = ("matches", "find", "findAll")


def uses_old_self(text: str, declared: Declared, *, optional: bool) -> bool:
    """Tell whether an expression that was checked looks at the old value."""
    if "oldSelf" not in text:
        return False
    try:
        check(text, declared, "BOOL", optional=optional, old=False)
    except BadExpression:
        return True
    return False


class _Compiled(NamedTuple):
    expression: Any
    serialized: bytes


@cached_if_short
def _compiled(text: str) -> _Compiled:
    expression = _running().compile(with_optionals(text), disable_check=True)
    return _Compiled(expression, expression.serialize())


def cost(text: str, size: Size, *, optional: bool) -> float:
    """Return an estimate of the cost of running an expression."""
    return cost_of(_compiled(_bound(text) if optional else text).serialized, size)


def evaluate(text: str, current: Any, old: Any, *, has_old: bool, optional: bool) -> Any:
    """The value of an expression for typed values of `self` and `oldSelf`.

    It is not for values that it would cost too much to run it on: ask for its `cost` before.

    Raises:
        EvaluationError: it has none.
    """
    data: dict[str, Any] = {"self": current}
    if optional:
        text = _bound(text)
        data["previous"] = {"value": old} if has_old else {}
    elif has_old:
        data["oldSelf"] = old
    return _evaluate(_compiled(text).expression, data)


def _bound(text: str) -> str:
    # Python cannot make optional values for `oldSelf`, expressions can.
    return f"cel.bind(oldSelf, previous.?value, {text}\n)"


def _evaluate(expression: Any, data: dict[str, Any]) -> Any:
    try:
        result = expression.eval(data=data)
    except RuntimeError as error:
        raise EvaluationError(_reason(error)) from None
    if result.type().name() == "ERROR":
        raise EvaluationError(str(result.value()))
    return result.value()

"""Expressions: checked against the type of `self`, and run."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clientgen._text_cache import cached_if_short

from ..libraries import cel
from .address_library import makes_address, with_texts
from .constructors import quoted_names
from .cost import cost_of
from .expression_calls import find_call, find_calls
from .functions import checked_functions, run_functions, with_ranges
from .go_errors import go_error
from .mixed_literals import mixed_literals
from .named_formats import with_optionals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cost import Size
    from .declarations import Declared

_EXTENSIONS: Final = ("two-var-comprehensions", "lists", "sets", "optional", "bindings")
# Macros of the library whose functions it does not have, and one that Kubernetes does not have.
_MISSING: Final = r"(?<=\.)\s*transformMap(?:Entry)?\s*\(|\bcel\s*\.\s*bind\s*\("
# Kubernetes compares numbers of different types, and makes texts of addresses; the library's own
# declarations do not.
_REDECLARED: Final = ("_<_", "_<=_", "_>_", "_>=_", "string")
_CALLED_WITH_LITERAL: Final = (
    r"\b(?:matches|find|findAll|duration|timestamp)"
    r"\(\s*(?:r?'[^'\\]*'|r?\"[^\"\\]*\")\s*\)"
)


_GO_WORDS: Final = (
    (re.compile(r"(?<=[(, ])null_type(?=[,)])"), "null"),
    (re.compile(r" not found in struct '[^']*'"), ""),
    (
        re.compile(r"\b\w+\(\) variable name must be a simple identifier"),
        "argument must be a simple name",
    ),
    (re.compile(re.escape(r"'\u003F'")), "'?'"),
    (
        re.compile(
            r"(ERROR: <input>:\d+:\d+: )Syntax error: [^\n]+ expecting {IDENTIFIER, ESC_IDENTIFIER}"
            r"(\n[^\n]*\n[^\n]*)"
        ),
        r"\g<0>\n\1unsupported ident kind\2",
    ),
    (re.compile(r"has\(\) argument must be a field selection"), "invalid argument to has() macro"),
    (
        re.compile(r"no viable alternative at input '\.(true|false|null)'"),
        r"mismatched input '\1' expecting IDENTIFIER",
    ),
)
"""Errors in the words of cel-go."""


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
        BadExpression: the expression is not valid.
    """
    check_names(text)
    variables = {"self": declared.type}
    if old:
        variables |= {"previous": declared.previous} if optional else {"oldSelf": declared.type}
    _refuse_missing(text)
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
        BadExpression: the expression is not valid.
    """
    check_names(text)
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
        BadExpression: the expression is not valid.
    """
    _refuse_missing(text)
    return _checked(environment, with_optionals(text)).return_type()


def _refuse_missing(text: str) -> None:
    """Refuse what would compile, and then fail whenever it runs.

    Raises:
        BadExpression: it has a macro whose functions the library does not have.
    """
    found = find_call(text, _MISSING)
    if found is None:
        return
    name = found["call"].strip(" \n\t(")
    why = f"{name} is not known here, though Kubernetes has it"
    if name.startswith("cel"):
        why = "undeclared reference to 'cel' (in container '')"
    position = found.start("call") + found["call"].index(name)
    raise BadExpression(f"compilation failed: {_error(text, position, why)}")


def _checked(environment: Any, text: str) -> Any:
    """Compile an expression; its literals may not be of several types.

    Raises:
        BadExpression: the expression is not valid.
    """
    try:
        compiled = environment.compile(text)
    except RuntimeError as error:
        raise BadExpression(f"compilation failed: {_reason(error)}") from None
    _refuse(text, mixed_literals(compiled.serialize()) if "," in text else [])
    return compiled


def check_names(text: str) -> None:
    """Make sure that an expression has no names in backquotes.

    Raises:
        BadExpression: it has some.
    """
    _refuse(text, [(position, "unsupported syntax: '`'") for position in quoted_names(text)])


def _refuse(text: str, problems: list[tuple[int, str]]) -> None:
    if problems:
        errors = "\n".join(_error(text, position, why) for position, why in problems)
        raise BadExpression(f"compilation failed: {errors}")


def _error(text: str, position: int, why: str) -> str:
    """Return an error at a position as the library writes it."""
    before = text[:position]
    column = position - before.rfind("\n") - 1
    line = text[position - column :].partition("\n")[0]
    where = f"<input>:{before.count(chr(10)) + 1}:{column + 1}"
    return f"ERROR: {where}: {why}\n | {line}\n | {'.' * column}^"


def _reason(error: object) -> str:
    text = re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", str(error))
    for pattern, words in _GO_WORDS:
        text = pattern.sub(words, text)
    return text


def _check_literals(text: str) -> None:
    for found in find_calls(text, _CALLED_WITH_LITERAL):
        call = found["call"]
        try:
            literal = f"''.{call}" if call.startswith(_ON_TEXT) else call
            _evaluate(_compiled(literal).expression, {})
        except (EvaluationError, RuntimeError) as error:
            raise BadExpression(f"compilation failed: {error}") from None


_LIBRARY_ERRORS: Final = (
    RuntimeError, ValueError, ArithmeticError, LookupError, TypeError, MemoryError
)  # fmt: skip
"""What pybind11 makes of the exceptions of C++."""
_ON_TEXT: Final = ("matches", "find")


def uses_old_self(text: str, declared: Declared, *, optional: bool) -> bool:
    """Return whether an expression that was checked looks at the old value."""
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


def runnable(text: str, *, has_addresses: bool = False) -> str:
    """An expression as the library runs it, with other calls for those that it does not have.

    Args:
        text: the expression.
        has_addresses: whether its variables may be addresses.
    """
    rewritten = with_optionals(text)
    if has_addresses or makes_address(text):
        rewritten = with_texts(rewritten)
    return with_ranges(rewritten)


@cached_if_short
def _compiled(text: str) -> _Compiled:
    expression = _running().compile(runnable(text), disable_check=True)
    return _Compiled(expression, expression.serialize())


def cost(text: str, size: Size, *, optional: bool) -> float:
    """Return an estimate of the cost of running an expression."""
    return cost_of(_compiled(_bound(text) if optional else text).serialized, size)


def evaluate(text: str, current: Any, old: Any, *, has_old: bool, optional: bool) -> Any:
    """The value of an expression for typed values of `self` and `oldSelf`.

    Check its `cost` first: it may cost too much for some values.

    Raises:
        EvaluationError: it has none.
    """
    data: dict[str, Any] = {"self": current}
    if optional:
        text = _bound(text)
        data["previous"] = {"value": old} if has_old else {}
    elif has_old:
        data["oldSelf"] = old
    try:
        return _evaluate(_compiled(text).expression, data)
    except EvaluationError as error:
        raise EvaluationError(go_error(str(error), text, data)) from None


def _bound(text: str) -> str:
    # Python cannot make optional values for `oldSelf`, expressions can.
    return f"cel.bind(oldSelf, previous.?value, {text}\n)"


def _evaluate(expression: Any, data: dict[str, Any]) -> Any:
    result = run(expression, data)
    if result.type().name() == "ERROR":
        raise EvaluationError(_reason(result.value()))
    return result.value()


def run(expression: Any, data: dict[str, Any]) -> Any:
    """Return what the library makes of a compiled expression: a value, or one of the type ERROR.

    Raises:
        EvaluationError: it cannot be run; the text is the library's.
    """
    try:
        return expression.eval(data=data)
    except _LIBRARY_ERRORS as error:
        raise EvaluationError(_reason(error)) from None

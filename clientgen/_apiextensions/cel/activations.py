"""Runs of the expressions of admission policies on the values of a request.

Variables of a policy are run when an expression first needs them, and at most once for the same
values. What all runs may cost together is bounded before each of them (`cost`).

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object
from clientgen._text_cache import cached_if_short

from ..libraries import cel
from .address_library import makes_address
from .constructors import as_maps
from .cost import (
    CALL_LIMIT,
    MAX_COST_PER_CALL,
    CostBudget,
    CostLimitExceeded,
    Size,
    cost_of,
    size_of,
)
from .escaped_names import is_found
from .expressions import EvaluationError, config, run, runnable
from .functions import policy_functions
from .go_errors import go_error
from .library import as_message

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES: Final = (
    "object",
    "oldObject",
    "request",
    "params",
    "namespaceObject",
    "authorizer",
    "variables",
)
_VARIABLE: Final = re.compile(r"\bvariables\s*\.\s*([A-Za-z_]\w*)")
_OVERHEAD_COST: Final = 5000
"""The cost of handing values over to a run: a tenth of a millisecond."""
_PRESENT: Final = "value"
_OVER: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


class PolicyError(ValueError):
    """An expression that has no value for this request."""


class OutOfBudget(PolicyError):  # noqa: N818 - says what is over
    """The expressions of a request cost too much together; no more are run."""


@cache
def _environment() -> Any:
    names = dict.fromkeys(_NAMES, cel().Type.DYN)
    return cel().NewEnv(config=config(runs=True), variables=names, functions=policy_functions())


def _compiled(text: str, *, has_addresses: bool) -> tuple[Any, bytes]:
    """Compile an expression.

    Args:
        text: the expression.
        has_addresses: whether variables of its policy may be addresses.

    Raises:
        RuntimeError: the expression is not valid.
    """
    text = runnable(as_maps(text), has_addresses=has_addresses)
    expression = _environment().compile(text, disable_check=True)
    return expression, expression.serialize()


@cached_if_short
def _plainly_compiled(text: str) -> tuple[Any, bytes]:
    return _compiled(text, has_addresses=False)


@cached_if_short
def _compiled_for_addresses(text: str) -> tuple[Any, bytes]:
    return _compiled(text, has_addresses=True)


@dataclass(slots=True)
class Activation:
    """The values that the expressions of one policy look at, for one request and parameter.

    Attributes:
        values: the variables of every policy (`object`, `request`, ...).
        expressions: the policy's own variables, by name.
        budget: what runs may still cost.
    """

    values: Mapping[str, Any]
    expressions: Mapping[str, str]
    budget: CostBudget
    _known: dict[str, Any] = field(default_factory=dict[str, Any])
    _failed: dict[str, str] = field(default_factory=dict[str, str])
    _optional: set[str] = field(default_factory=set[str])
    _size: Size | None = None

    def evaluate(self, text: str) -> Any:
        """Return the value of an expression.

        Raises:
            PolicyError: it has none.
            OutOfBudget: it is too expensive.
        """
        try:
            self._need(text)
            return _plain(self._run(self._with_optional(text), text))
        except _Failed as error:
            raise PolicyError(f"expression '{text}' resulted in error: {error}") from None

    # ------------------------------------------------------------------------ running

    def _run(self, text: str, shown: str) -> Any:
        try:
            expression, serialized = self._compiled(text)
        except RuntimeError as error:
            raise _Failed(f"compilation failed: {_reason(str(error))}") from None
        self._pay(cost_of(serialized, self._sized()) + _OVERHEAD_COST)
        try:
            result = run(expression, {**self.values, "variables": self._known})
        except EvaluationError as error:
            raise _Failed(self._worded(str(error), shown)) from None
        if result.type().name() == "ERROR" and not _is_optional(result):
            raise _Failed(self._worded(str(result.value()), shown))
        return result

    def _compiled(self, text: str) -> tuple[Any, bytes]:
        has_addresses = any(map(makes_address, self.expressions.values()))
        return (_compiled_for_addresses if has_addresses else _plainly_compiled)(text)

    def _pay(self, cost: float) -> None:
        try:
            self.budget.pay(min(cost, MAX_COST_PER_CALL))
        except CostLimitExceeded:
            raise OutOfBudget(_OVER) from None
        if cost > MAX_COST_PER_CALL:
            raise _Failed(CALL_LIMIT)

    def _sized(self) -> Size:
        if self._size is None:
            self._size = size_of(*self.values.values(), *self._known.values())
        return self._size

    def _worded(self, error: str, text: str) -> str:
        values = {**self.values, "variables": {**self._failed, **self._known}}
        worded = go_error(_reason(error), text, values)
        missing = worded.removeprefix("no such key: ")
        if missing in self._failed and re.search(rf"\bvariables\s*\.\s*{missing}\b", text):
            return self._failed[missing]
        return worded

    # ---------------------------------------------------------------------- variables

    def _need(self, text: str) -> None:
        """Run the variables that an expression may look at, and before them those they look at."""
        waiting = self._unknown(text)
        opened: set[str] = set()
        while waiting:
            name = waiting[-1]
            inner = self._unknown(self.expressions[name]) if name not in opened else []
            opened.add(name)
            if inner:
                waiting += [each for each in inner if each not in opened]
                continue
            waiting.pop()
            if name not in self._known and name not in self._failed:
                self._run_variable(name)

    def _unknown(self, text: str) -> list[str]:
        known = self._known.keys() | self._failed.keys()
        found = dict.fromkeys(_VARIABLE.findall(text))
        return [
            name
            for name in found
            if name in self.expressions and name not in known and is_found(name)
        ]

    def _run_variable(self, name: str) -> None:
        shown = self.expressions[name]
        text = self._with_optional(shown)
        try:
            result = self._run(text, shown)
            if _is_optional(result):
                # Python cannot hand optional values over, but a map that may have a member.
                result = self._run(f'{{?"{_PRESENT}": {text}\n}}', shown)
                self._optional.add(name)
        except _Failed as error:
            self._failed[name] = f'composited variable "{name}" fails to evaluate: {error}'
            return
        self._known[name] = _as_input(_plain(result))
        self._size = None

    def _with_optional(self, text: str) -> str:
        for name in self._optional:
            text = re.sub(rf"\bvariables\s*\.\s*{name}\b", f"variables.{name}.?{_PRESENT}", text)
        return text


def _is_optional(result: Any) -> bool:
    """Return whether a value is one that may be missing, which the library cannot show."""
    if result.type().name() != "ERROR":
        return False
    try:
        return not isinstance(result.value(), str)
    except TypeError:
        return True


def _plain(result: Any) -> Any:
    try:
        return result.plain_value()
    except (TypeError, SystemError):
        raise _Failed("optional values have no JSON form") from None


def _as_input(value: Any) -> Any:
    """Return a value in the form in which expressions take it."""
    if is_object(value):
        return {key: _as_input(each) for key, each in value.items()}
    if is_array(value):
        return [_as_input(each) for each in value]
    return as_message(value)


class _Failed(Exception):  # noqa: N818 - says what happened
    """A run without a value; the text is Kubernetes' reason."""


def _reason(text: str) -> str:
    return re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", text)

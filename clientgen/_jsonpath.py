"""JSONPath, as printer columns use it.

Kubernetes has its own dialect (described on kubectl's page "JSONPath Support"): `.spec.tags[0]`,
`.items[*].name`, `..name`, `[1:3]`, `['a','b']`, and filters such as
`.status.conditions[?(@.type=="Ready")].status`. A path is a sequence of steps. Each step maps the
values of the previous step to new values. A path to a missing field selects no value, and is not an
error.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ._text_cache import cached_if_short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Step: TypeAlias = "Callable[[Any], Iterator[Any]]"

_FIELD: Final = re.compile(r"(?:\\.|[^\s.\[\](){}'\"\\,|*])+")
_SLICE: Final = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d*))?")
_QUOTED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_COMPARISON: Final = re.compile(r"'[^']*'|\"[^\"]*\"|(==|!=|<=|>=|<|>)")
_PARTS: Final = re.compile(r"'[^']*'|\"[^\"]*\"|(,)")
_MAX_DEPTH: Final = 20  # nested brackets
_MAX_DIGITS: Final = 18  # the digits of a number, which has 64 bits in Go
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONSTANTS: Final = {"true": True, "false": False}


def evaluate(path: str, value: Any) -> list[Any]:
    """List the values that `path` selects in a JSON value, in order.

    Raises:
        ValueError: `path` cannot be read.
    """
    values = [value]
    for step in parse(path):
        values = [result for before in values for result in step(before)]
    return values


@cached_if_short
def parse(path: str) -> tuple[Step, ...]:
    """Return the steps of a path that starts with a dot, a bracket, `$` or `@`.

    Raises:
        ValueError: `path` cannot be read.
    """
    _check_depth(path)
    steps: list[Step] = []
    rest = path.strip().removeprefix("$").removeprefix("@")
    try:
        while rest and rest != ".":
            step, rest = _next_step(rest, path)
            steps.append(step)
    except RecursionError:
        raise ValueError(f"{path!r}: the path is nested too deeply") from None
    return tuple(steps)


def _check_depth(path: str) -> None:
    depth = 0
    for matched in re.finditer(r"'[^']*'|\"[^\"]*\"|([\[\]])", path):
        depth += {"[": 1, "]": -1}.get(matched[1], 0)
        if depth > _MAX_DEPTH:
            raise ValueError(f"{path!r}: the path has more than {_MAX_DEPTH} nested brackets")


def _next_step(rest: str, path: str) -> tuple[Step, str]:
    if rest.startswith("["):
        end = _closing(rest, path)
        return _bracket(rest[1:end].strip(), path), rest[end + 1 :]
    if rest.startswith(".["):
        return _next_step(rest[1:], path)
    if rest.startswith(".."):
        return _everything, rest[1:] if rest[2:3] != "[" else rest[2:]
    if rest.startswith(".*"):
        return _wildcard, rest[2:]
    matched = _FIELD.match(rest, 1)
    if not rest.startswith(".") or matched is None:
        raise ValueError(f"{path!r}: {rest!r} is not a step of a JSONPath")
    return _field(re.sub(r"\\(.)", r"\1", matched[0])), rest[matched.end() :]


def _closing(rest: str, path: str) -> int:
    """Return the index of the bracket that closes the first bracket. Ignores quoted brackets."""
    depth, quote = 0, ""
    for at, character in enumerate(rest):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[]":
            depth += 1 if character == "[" else -1
            if not depth:
                return at
    raise ValueError(f"{path!r}: unterminated array")


def _bracket(inside: str, path: str) -> Step:
    if inside.startswith("?(") and inside.endswith(")"):
        return _filtered(inside[2:-1].strip(), path)
    if inside == "*":
        return _wildcard
    if len(parts := _split(inside)) > 1:
        return _union([_bracket(part.strip(), path) for part in parts])
    if matched := _SLICE.fullmatch(inside):
        start, end, stride = (_whole(part, path) if part else None for part in matched.groups())
        if stride == 0:
            raise ValueError(f"{path!r}: the step of a slice is 0")
        return _slice(start, end, stride)
    if re.fullmatch(r"-?\d+", inside):
        return _index(_whole(inside, path))
    if inside.startswith("'") and (quoted := _QUOTED.fullmatch(inside)):
        # A quoted name is read like a name after a dot: `['a.b']` is `.a.b`, and `['a\.b']` is one
        # name. A comma is a part of the name.
        name = re.sub(r"(\\.)|,", lambda found: found[1] or r"\,", quoted[1])
        return _nested(parse(f".{name}"))
    raise ValueError(f"{path!r}: invalid array index {inside!r}")


def _split(inside: str) -> list[str]:
    """Return the parts between commas. Quoted commas do not separate parts."""
    parts: list[str] = []
    start = 0
    for matched in _PARTS.finditer(inside):
        if matched[1]:
            parts.append(inside[start : matched.start()])
            start = matched.end()
    return [*parts, inside[start:]]


def _whole(text: str, path: str) -> int:
    if not re.fullmatch(rf"-?\d{{1,{_MAX_DIGITS}}}", text):
        raise ValueError(f"{path!r}: {text[:40]!r} is not an index of an array")
    return int(text)


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _index(at: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            # A slice is empty where an index would raise an error.
            yield from value[at : at + 1 or None]

    return step


def _slice(start: int | None, end: int | None, stride: int | None = None) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[start:end:stride]

    return step


def _union(parts: list[Step]) -> Step:
    def step(value: Any) -> Iterator[Any]:
        for part in parts:
            yield from part(value)

    return step


def _nested(steps: tuple[Step, ...]) -> Step:
    def step(value: Any) -> Iterator[Any]:
        values = [value]
        for path_step in steps:
            values = [after for before in values for after in path_step(before)]
        yield from values

    return step


def _wildcard(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _everything(value: Any) -> Iterator[Any]:
    yield value
    for inner in _wildcard(value):
        yield from _everything(inner)


def _filtered(condition: str, path: str) -> Step:
    matched = next((found for found in _COMPARISON.finditer(condition) if found[1]), None)
    left = _operand(condition[: matched.start()].rstrip() if matched else condition, path)
    compare = _COMPARISONS[matched[1]] if matched else None
    right = _operand(condition[matched.end() :].lstrip(), path) if matched else None

    def step(value: Any) -> Iterator[Any]:
        for item in _wildcard(value) if isinstance(value, list) else ():
            operands = left(item)
            if compare is None or right is None:
                if operands:
                    yield item
            elif (
                operands
                and (right_values := right(item))
                and _holds(compare, operands[0], right_values[0])
            ):
                yield item

    return step


def _holds(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    try:
        return compare(left, right)
    except TypeError:  # values of these types cannot be compared
        return False


def _operand(text: str, path: str) -> Callable[[Any], list[Any]]:
    """Return one side of a comparison in a filter: a path from the item, or a literal."""
    if text.startswith(("@", "$")):
        parse(text)  # report a malformed path now, not at the first object
        return lambda item: evaluate(text, item)
    literal = _literal(text, path)
    return lambda _: [literal]


def _literal(text: str, path: str) -> str | float | bool:
    if quoted := _QUOTED.fullmatch(text):
        return str(quoted[1] if quoted[1] is not None else quoted[2])
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        why = f"{text[:40]!r} is not a path, text, number or bool"
        raise ValueError(f"{path!r}: in a filter, {why}") from None

"""Whether values are what a schema wants, and what the server says where they are not.

The server uses a validator of its own (kube-openapi's, from go-swagger), and its ways show: what it
says beside what else is wrong, which branch of an `anyOf` it complains about (the one that passed
most checks, as it counts them), complaints without a field, integers that never fit bounds with
fractions, lists that pass for dates. A JSON Schema library such as jsonschema-rs can give a verdict
by the standard, but none of this, so schemas are compiled to the server's own steps here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..failures import (
    Cause,
    invalid_value,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from .correlation import same
from .formats import STRING_FORMATS, recognized
from .libraries import compiled, pattern_error
from .shapes import is_object, listed, part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .correlation import Pair

__all__ = ["NO_FIELD", "Checker", "check", "type_of"]

NO_FIELD: Final = "<nil>"
"""What stands for the field of a complaint that has none."""

_INT_RANGES: Final = {"int32": 31}
_TYPES: Final[dict[type, str]] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
}
_TYPE_META: Final = frozenset(["apiVersion", "kind"])
_CLOSE: Final = 1e-9
_MAX_FLOAT32: Final = 3.4028234663852886e38

Facet: TypeAlias = "Callable[[Any, str, list[Cause], Pair | None], int]"
"""Adds what is wrong with a value at a path; returns how many checks it made."""


def check(checker: Checker, value: Any, field: str = "", pair: Pair | None = None) -> list[Cause]:
    """What is wrong with a value; `field` is where it stands in its object.

    Where a `pair` tells that an update left a part alone, that part may be wrong.
    """
    found: list[Cause] = []
    checker.check(value, "", found, pair)
    return [_placed(each, field) for each in dict.fromkeys(found)]


def _placed(cause: Cause, field: str) -> Cause:
    path = cause.field.removeprefix(".")
    if cause.field == NO_FIELD or not path:
        path = field or path or NO_FIELD
    elif field:
        path = f"{field}.{path}"
    return Cause(cause.reason, cause.message, path)


def type_of(value: Any) -> str:
    """A JSON value's type in the words of a schema."""
    return "null" if value is None else _TYPES.get(value.__class__, "object")


class Checker:
    """A compiled schema."""

    __slots__ = ("_always", "_by_type", "_enum", "_fitting", "_type")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        kinds = ["integer", "string"] if raw.get("x-kubernetes-int-or-string") else []
        kinds = kinds or ([raw["type"]] if raw.get("type") else [])
        sole = kinds[0] if len(kinds) == 1 else ""
        wanted = raw.get("format") or ""
        name = wanted if recognized(sole, wanted) else ""
        self._type = _type_check(kinds, name, nullable=bool(raw.get("nullable")))
        # The types that fit at first glance.
        self._fitting = frozenset(() if name else kinds)
        self._always = _combined(raw)
        self._enum = _enum(raw["enum"]) if raw.get("enum") else None
        number = _number(raw, sole, name)
        self._by_type: dict[str, list[Facet]] = {
            "string": _strings(raw, name),
            "integer": [number],
            "number": [number],
            "array": [_array(raw)],
            "object": [_object(raw)],
        }

    def check(self, value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        """Add what is wrong to `found`, unless the value was the same before."""
        before = len(found)
        passed = self.match(value, path, found, pair)
        if pair is not None and len(found) > before and pair.unchanged:
            del found[before:]
        return passed

    def match(self, value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        """Add what is wrong to `found`; returns the number of checks, as the server counts them."""
        actual = type_of(value)
        passed = 1 if actual in self._fitting else 0
        if self._type is not None and not passed:
            passed = self._type(value, path, found, pair)
        if value is None:
            if self._enum is not None:
                self._enum(value, path, found, pair)
            return passed
        passed += 4 if self._type else 3  # one for each kind of check that applies, one at the end
        if self._always is not None:
            passed += self._always(value, path, found, pair)
        else:
            passed += 1
        for facet in self._by_type.get(actual, ()):
            passed += 1 + facet(value, path, found, pair)
        if self._enum is not None:
            self._enum(value, path, found, pair)
        return passed


def _type_check(kinds: list[str], name: str, *, nullable: bool) -> Facet | None:
    if not kinds and not name:
        return None
    listed = ",".join(kinds)
    numeric = "integer" in kinds or "number" in kinds

    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        actual = type_of(value)
        if actual == "null":
            fits = nullable or not kinds
        elif name and not numeric and actual in ("string", "array"):
            return 1  # the format tells
        else:
            fits = actual in kinds or _converts(value, actual, kinds)
        if fits:
            return 1
        wanted = name if name and actual not in ("string", "array", "null") else listed
        found.append(_mistyped(path, wanted, actual))
        return 0

    return facet


def _mistyped(path: str, wanted: str, value: str) -> Cause:
    shown = path.removeprefix(".")
    return type_invalid(path, value, f'{shown} in body must be of type {wanted}: "{value}"')


def _converts(value: Any, actual: str, kinds: list[str]) -> bool:
    if actual == "integer":
        return "number" in kinds
    return actual == "number" and "integer" in kinds and _is_whole(value)


def _is_whole(number: float) -> bool:
    if math.isinf(number) or math.isnan(number) or abs(number) > 2**53 - 1:
        return False
    whole = float(int(number))
    if number == whole:
        return True
    if whole == 0:
        return False
    return abs(number - whole) / (abs(number) + abs(whole)) < _CLOSE


# ------------------------------------------------------------------------------- combinations


def _combined(raw: Mapping[str, Any]) -> Facet | None:
    any_of, one_of, all_of = (
        [Checker(each) for each in listed(raw, name)] for name in ("anyOf", "oneOf", "allOf")
    )
    unwanted = Checker(raw["not"]) if raw.get("not") is not None else None
    if not (any_of or one_of or all_of or unwanted):
        return None

    def facet(value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        passed = 1
        if any_of:
            passed += _any_of(any_of, value, path, found, pair)
        if one_of:
            passed += _one_of(one_of, value, path, found, pair)
        if all_of:
            passed += _all_of(all_of, value, path, found, pair)
        if unwanted is not None:
            wrong: list[Cause] = []
            unwanted.match(value, path, wrong, pair)
            if not wrong:
                found.append(_complaint(path, "must not validate the schema (not)"))
        return passed

    return facet


def _complaint(path: str, text: str) -> Cause:
    return invalid_value(NO_FIELD, "", f'"{path.removeprefix(".")}" {text}')


_Verdict: TypeAlias = "tuple[int, list[Cause]]"


def _verdicts(
    branches: list[Checker], value: Any, path: str, pair: Pair | None
) -> Iterable[_Verdict]:
    for branch in branches:
        wrong: list[Cause] = []
        passed = branch.match(value, path, wrong, pair)
        yield passed, wrong


def _any_of(
    branches: list[Checker], value: Any, path: str, found: list[Cause], pair: Pair | None
) -> int:
    best: _Verdict | None = None
    for passed, wrong in _verdicts(branches, value, path, pair):
        if not wrong:
            return passed
        if best is None or passed > best[0]:
            best = passed, wrong
    found.append(_complaint(path, "must validate at least one schema (anyOf)"))
    return _merge(best, found)


def _one_of(
    branches: list[Checker], value: Any, path: str, found: list[Cause], pair: Pair | None
) -> int:
    best: _Verdict | None = None
    good: list[int] = []
    for passed, wrong in _verdicts(branches, value, path, pair):
        if not wrong:
            good.append(passed)
        elif not good and (best is None or passed > best[0]):
            best = passed, wrong
    if len(good) == 1:
        return good[0]
    many = f"{len(good)} valid alternatives" if good else "none valid"
    found.append(_complaint(path, f"must validate one and only one schema (oneOf). Found {many}"))
    return 0 if good else _merge(best, found)


def _merge(verdict: _Verdict | None, found: list[Cause]) -> int:
    if verdict is None:
        return 0
    found.extend(verdict[1])
    return verdict[0]


def _all_of(
    branches: list[Checker], value: Any, path: str, found: list[Cause], pair: Pair | None
) -> int:
    verdicts = list(_verdicts(branches, value, path, pair))
    good = sum(not wrong for _, wrong in verdicts)
    for _, wrong in verdicts:
        found.extend(wrong)
    if good != len(branches):
        more = "" if good else ". None validated"
        found.append(_complaint(path, f"must validate all the schemas (allOf){more}"))
    return sum(passed for passed, _ in verdicts)


# ------------------------------------------------------------------------------------ scalars


def _enum(values: list[Any]) -> Facet:
    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        if value is None or not any(_is_one(value, each) for each in values):
            found.append(not_supported(path, value, values))
        return 0

    return facet


def _is_one(value: Any, known: Any) -> bool:
    if type(value) is float and type(known) is int:
        return int(value) == known  # the server converts the value to the type of the known one
    return same(value, known)


def _strings(raw: Mapping[str, Any], name: str) -> list[Facet]:
    most, least = raw.get("maxLength"), raw.get("minLength")
    pattern = raw.get("pattern") or ""
    matches = _pattern(pattern) if pattern else None

    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        shown = path.removeprefix(".")
        if most is not None and len(value) > most:
            found.append(too_long(path, f"may not be more than {most} bytes"))
        elif least is not None and len(value) < least:
            why = f"{shown} in body should be at least {least} chars long"
            found.append(invalid_value(path, value, why))
        elif matches is not None and not matches(value):
            why = f"{shown} in body should match '{pattern}'"
            found.append(invalid_value(path, value, why))
        return 0

    fits = STRING_FORMATS.get(name.replace("-", ""))
    return [facet, _formatted(name, fits)] if fits else [facet]


def _pattern(pattern: str) -> Callable[[str], bool]:
    if pattern_error(pattern):
        return lambda _: False  # no definition with such a pattern is accepted
    search = compiled(pattern).search
    return lambda text: search(text) is not None


def _formatted(name: str, fits: Callable[[str], bool]) -> Facet:
    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        if not fits(value):
            found.append(_mistyped(path, name, value))
        return 0

    return facet


def _number(raw: Mapping[str, Any], sole: str, name: str) -> Facet:
    bounds = [
        bound
        for bound in (_multiple(raw, sole, name), _most(raw, sole, name), _least(raw, sole, name))
        if bound is not None
    ]

    def facet(value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        _check_range(value, sole, name, "Checked", path, found)
        for bound in bounds:
            bound(value, path, found, pair)
        return 1

    return facet


def _check_range(  # noqa: PLR0917 - all of them are told in the complaint
    value: float, sole: str, name: str, what: str, path: str, found: list[Cause]
) -> bool:
    if _in_range(value, sole, name):
        return True
    form = f"with format {name}" if name else "(default format)"
    text = f"{what} value must be of type {sole} {form} in {path.removeprefix('.')}"
    found.append(invalid_value(NO_FIELD, "", text))
    return False


def _in_range(value: float, sole: str, name: str) -> bool:
    if sole == "integer":
        bits = _INT_RANGES.get(name, 63)
        return value == int(value) and -(2**bits) <= value < 2**bits
    return name != "float" or abs(value) <= _MAX_FLOAT32


def _multiple(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    factor = raw.get("multipleOf")
    if factor is None:
        return None

    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        whole = isinstance(value, int)
        fits = _check_range(factor, sole, name, "MultipleOf", path, found)
        step = int(factor) if whole and fits else factor
        if step <= 0:
            why = (
                f"factor MultipleOf declared for {path.removeprefix('.')} must be positive: {step}"
            )
            found.append(invalid_value(path, step, why))
        elif not (value % step == 0 if whole and fits else _is_whole(_quotient(value, step))):
            why = f"{path.removeprefix('.')} in body should be a multiple of {factor}"
            found.append(invalid_value(path, value, why))
        return 0

    return facet


def _quotient(value: float, step: float) -> float:
    return 1 / step * value if step < 1 else value / step


def _most(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    limit, exclusive = raw.get("maximum"), bool(raw.get("exclusiveMaximum"))
    words = "less than" if exclusive else "less than or equal to"
    return _bound(limit, exclusive, words, "Maximum", sole, name, lambda value, most: value > most)


def _least(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    limit, exclusive = raw.get("minimum"), bool(raw.get("exclusiveMinimum"))
    words = "greater than" if exclusive else "greater than or equal to"
    return _bound(
        limit, exclusive, words, "Minimum", sole, name, lambda value, least: value < least
    )


def _bound(  # noqa: PLR0917 - one bound, in all its words
    limit: float | None,
    exclusive: bool,
    words: str,
    what: str,
    sole: str,
    name: str,
    beyond: Callable[[float, float], bool],
) -> Facet | None:
    if limit is None:
        return None

    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        fits = _check_range(limit, sole, name, f"{what} boundary", path, found)
        # The server compares integers with the bound cut to an integer.
        against = int(limit) if isinstance(value, int) and fits else limit
        if beyond(value, against) or (exclusive and value == against):
            why = f"{path.removeprefix('.')} in body should be {words} {limit:g}"
            found.append(invalid_value(path, value, why))
        return 0

    return facet


# --------------------------------------------------------------------------------- containers


def _array(raw: Mapping[str, Any]) -> Facet:
    items = Checker(raw["items"]) if is_object(raw.get("items")) else None
    least, most = raw.get("minItems"), raw.get("maxItems")

    def facet(value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        passed = 1
        if items is not None:
            for at, each in enumerate(value):
                inner = pair.item(at) if pair is not None else None
                passed += items.check(each, f"{path}[{at}]", found, inner)
        if least is not None and len(value) < least:
            why = f"{path.removeprefix('.')} in body should have at least {least} items"
            found.append(invalid_value(path, len(value), why))
        if most is not None and len(value) > most:
            found.append(too_many(path, len(value), most))
        return passed

    return facet


def _object(raw: Mapping[str, Any]) -> Facet:
    members = {name: Checker(each) for name, each in part(raw, "properties").items()}
    additional = raw.get("additionalProperties")
    others = Checker(additional) if is_object(additional) else None
    closed = additional is False
    needed: list[str] = raw.get("required") or []
    count = _counted(raw)

    def facet(value: Any, path: str, found: list[Cause], pair: Pair | None) -> int:
        passed = 0
        if count is not None:
            count(value, path, found, pair)
        for name, each in value.items():
            known = members.get(name, others)
            if known is not None:
                where = f"{path}.{name}" if path else name
                passed += known.check(each, where, found, _member(pair, path, name))
            elif closed and name not in members:
                where = path.removeprefix(".")
                why = f"{where}.{name} in body is a forbidden property"
                found.append(invalid_value(path, "", why))
        found.extend(required(f"{path}.{name}") for name in needed if name not in value)
        return passed

    return facet


def _member(pair: Pair | None, path: str, name: str) -> Pair | None:
    if pair is None or (not path and name in _TYPE_META):
        return None
    return pair.member(name)


def _counted(raw: Mapping[str, Any]) -> Facet | None:
    least, most = raw.get("minProperties"), raw.get("maxProperties")
    if least is None and most is None:
        return None

    def facet(value: Any, path: str, found: list[Cause], _pair: Pair | None) -> int:
        if least is not None and len(value) < least:
            why = f"{path.removeprefix('.')} in body should have at least {least} properties"
            found.append(invalid_value(path, len(value), why))
        if most is not None and len(value) > most:
            found.append(too_many(path, len(value), most))
        return 0

    return facet

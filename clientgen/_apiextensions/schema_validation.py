"""Validation of values by a schema, with the server's messages.

The server uses a validator of its own (kube-openapi's, from go-swagger), and this module follows
its ways: which mistakes it reports together, which branch of an `anyOf` it reports (the one that
passed most checks, as it counts them), complaints without a field, integers that never fit bounds
with fractions, lists that pass for dates. A JSON Schema library such as jsonschema-rs can give a
verdict by the standard, but none of this, so schemas are compiled to the server's own steps here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.failures import Cause, invalid_value, required, too_many
from clientgen._json import is_object, listed, part

from .formats import recognized
from .scalar_validation import NO_FIELD, enum, is_whole, mistyped, number, strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .correlation import Pair
    from .scalar_validation import Facet

_TYPES: Final[dict[type, str]] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
}
_TYPE_META: Final = frozenset(["apiVersion", "kind"])


def check(checker: Checker, value: Any, field: str = "", pair: Pair | None = None) -> list[Cause]:
    """Check a value; `field` is its path in its object.

    Where a `pair` tells that an update left a part alone, that part may be wrong.
    """
    causes: list[Cause] = []
    checker.check(value, "", causes, pair)
    return [_placed(cause, field) for cause in dict.fromkeys(causes)]


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
        self._enum = enum(raw["enum"]) if raw.get("enum") else None
        numbers = number(raw, sole, name)
        self._by_type: dict[str, list[Facet]] = {
            "string": strings(raw, name),
            "integer": [numbers],
            "number": [numbers],
            "array": [_array(raw)],
            "object": [_object(raw)],
        }

    def check(self, value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        """Add what is wrong to `causes`, unless the value was the same before."""
        before = len(causes)
        passed = self.match(value, path, causes, pair)
        if pair is not None and len(causes) > before and pair.unchanged:
            del causes[before:]
        return passed

    def match(self, value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        """Add the failures to `causes`. Returns the number of checks, as the server counts them."""
        actual = type_of(value)
        passed = 1 if actual in self._fitting else 0
        if self._type is not None and not passed:
            passed = self._type(value, path, causes, pair)
        if value is None:
            if self._enum is not None:
                self._enum(value, path, causes, pair)
            return passed
        passed += 4 if self._type else 3  # one for each kind of check that applies, one at the end
        if self._always is not None:
            passed += self._always(value, path, causes, pair)
        else:
            passed += 1
        for facet in self._by_type.get(actual, ()):
            passed += 1 + facet(value, path, causes, pair)
        if self._enum is not None:
            self._enum(value, path, causes, pair)
        return passed


def _type_check(kinds: list[str], name: str, *, nullable: bool) -> Facet | None:
    if not kinds and not name:
        return None
    listed = ",".join(kinds)
    numeric = "integer" in kinds or "number" in kinds

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
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
        causes.append(mistyped(path, wanted, actual))
        return 0

    return facet


def _converts(value: Any, actual: str, kinds: list[str]) -> bool:
    if actual == "integer":
        return "number" in kinds
    return actual == "number" and "integer" in kinds and is_whole(value)


# ------------------------------------------------------------------------------- combinations


def _combined(raw: Mapping[str, Any]) -> Facet | None:
    any_of, one_of, all_of = (
        [Checker(branch) for branch in listed(raw, name)] for name in ("anyOf", "oneOf", "allOf")
    )
    unwanted = Checker(raw["not"]) if raw.get("not") is not None else None
    if not (any_of or one_of or all_of or unwanted):
        return None

    def facet(value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        passed = 1
        if any_of:
            passed += _any_of(any_of, value, path, causes, pair)
        if one_of:
            passed += _one_of(one_of, value, path, causes, pair)
        if all_of:
            passed += _all_of(all_of, value, path, causes, pair)
        if unwanted is not None:
            wrong: list[Cause] = []
            unwanted.match(value, path, wrong, pair)
            if not wrong:
                causes.append(_complaint(path, "must not validate the schema (not)"))
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
    branches: list[Checker], value: Any, path: str, causes: list[Cause], pair: Pair | None
) -> int:
    best: _Verdict | None = None
    for passed, wrong in _verdicts(branches, value, path, pair):
        if not wrong:
            return passed
        if best is None or passed > best[0]:
            best = passed, wrong
    causes.append(_complaint(path, "must validate at least one schema (anyOf)"))
    return _merge(best, causes)


def _one_of(
    branches: list[Checker], value: Any, path: str, causes: list[Cause], pair: Pair | None
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
    causes.append(_complaint(path, f"must validate one and only one schema (oneOf). Found {many}"))
    return 0 if good else _merge(best, causes)


def _merge(verdict: _Verdict | None, causes: list[Cause]) -> int:
    if verdict is None:
        return 0
    causes.extend(verdict[1])
    return verdict[0]


def _all_of(
    branches: list[Checker], value: Any, path: str, causes: list[Cause], pair: Pair | None
) -> int:
    verdicts = list(_verdicts(branches, value, path, pair))
    good = sum(not wrong for _, wrong in verdicts)
    for _, wrong in verdicts:
        causes.extend(wrong)
    if good != len(branches):
        more = "" if good else ". None validated"
        causes.append(_complaint(path, f"must validate all the schemas (allOf){more}"))
    return sum(passed for passed, _ in verdicts)


# --------------------------------------------------------------------------------- containers


def _array(raw: Mapping[str, Any]) -> Facet:
    items = Checker(raw["items"]) if is_object(raw.get("items")) else None
    least, most = raw.get("minItems"), raw.get("maxItems")

    def facet(value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        passed = 1
        if items is not None:
            for at, item in enumerate(value):
                inner = pair.item(at) if pair is not None else None
                passed += items.check(item, f"{path}[{at}]", causes, inner)
        if least is not None and len(value) < least:
            why = f"{path.removeprefix('.')} in body should have at least {least} items"
            causes.append(invalid_value(path, len(value), why))
        if most is not None and len(value) > most:
            causes.append(too_many(path, len(value), most))
        return passed

    return facet


def _object(raw: Mapping[str, Any]) -> Facet:
    members = {
        name: Checker(member_schema) for name, member_schema in part(raw, "properties").items()
    }
    additional = raw.get("additionalProperties")
    fallback = Checker(additional) if is_object(additional) else None
    closed = additional is False
    needed: list[str] = raw.get("required") or []
    count = _counted(raw)

    def facet(value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        passed = 0
        if count is not None:
            count(value, path, causes, pair)
        for name, member in value.items():
            checker = members.get(name, fallback)
            if checker is not None:
                where = f"{path}.{name}" if path else name
                passed += checker.check(member, where, causes, _member(pair, path, name))
            elif closed and name not in members:
                where = path.removeprefix(".")
                why = f"{where}.{name} in body is a forbidden property"
                causes.append(invalid_value(path, "", why))
        causes.extend(required(f"{path}.{name}") for name in needed if name not in value)
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

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        if least is not None and len(value) < least:
            why = f"{path.removeprefix('.')} in body should have at least {least} properties"
            causes.append(invalid_value(path, len(value), why))
        if most is not None and len(value) > most:
            causes.append(too_many(path, len(value), most))
        return 0

    return facet

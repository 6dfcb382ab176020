"""Label and field selectors: writing them for the server, and matching objects locally.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._models.meta_v1 import LabelSelector, LabelSelectorRequirement

Operator: TypeAlias = Literal["in", "notin", "exists", "!", ">", "<"]

_SET = re.compile(r"(\S+?)\s+(in|notin)\s*\(([^()]*)\)$")
_COMPARED = re.compile(r"([^\s=!<>]+)\s*(==|=|!=|>|<)\s*([^\s=!<>]*)$")
_KEY = re.compile(r"(!?)\s*([^\s=!<>(),]+)$")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


class Requirement(Struct, frozen=True):
    """A condition on labels. `values` is empty for `exists` and `!`."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet the condition.

        As on the server, a missing label meets `notin`.
        """
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "!":
                return value is None
            case "in":
                return value in self.values
            case "notin":
                return value not in self.values
            case ">" | "<" as sign:
                return _compare(value, sign, self.values[0])

    def __str__(self) -> str:
        if self.operator in {"in", "notin"}:
            if len(self.values) == 1:
                return f"{self.key}{'=' if self.operator == 'in' else '!='}{self.values[0]}"
            return f"{self.key} {self.operator} ({','.join(self.values)})"
        if self.operator in {">", "<"}:
            return f"{self.key}{self.operator}{self.values[0]}"
        return self.key if self.operator == "exists" else f"!{self.key}"


class Selector(Struct, frozen=True):
    """Conditions that must all be met. `str()` returns the text for the server."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet every condition."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING = Selector()


def _compare(value: str | None, sign: str, bound: str) -> bool:
    try:
        number, limit = int(value or ""), int(bound)
    except ValueError:
        return False
    return number > limit if sign == ">" else number < limit


def parse_label_selector(text: str) -> Selector:
    """Parse a selector such as `app=web,tier in (a, b),!legacy`.

    Raises:
        ValueError: the server would reject the selector, too.
    """
    return Selector(tuple(map(_requirement, _split(text))))


def _split(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", text)]
    return [] if parts == [""] else parts


def _requirement(text: str) -> Requirement:
    if match := _SET.fullmatch(text):
        values = tuple(sorted(value.strip() for value in match[3].split(",")))
        return Requirement(match[1], "in" if match[2] == "in" else "notin", values)
    if match := _COMPARED.fullmatch(text):
        key, sign, value = match.groups()
        if sign in (">", "<"):
            return Requirement(key, ">" if sign == ">" else "<", (str(int(value)),))
        return Requirement(key, "notin" if sign == "!=" else "in", (value,))
    if match := _KEY.fullmatch(text):
        return Requirement(match[2], "!" if match[1] else "exists")
    raise ValueError(f"{text!r} is not a valid requirement of a label selector")


def label_selector(labels: Mapping[str, str | Sequence[str] | None]) -> str:
    """Build a selector from a mapping of labels to a value, to several values, or to None.

    None selects objects without the label.

    `label_selector({"app": "web", "tier": ["a", "b"], "legacy": None})` is `app=web,tier in
    (a,b),!legacy`.

    Raises:
        ValueError: a key or a value is not valid in a label, so it would change the selection.
    """
    requirements: list[Requirement] = []
    for key, value in labels.items():
        if value is None:
            _check(key, ("",))
            requirements.append(Requirement(key, "!"))
        else:
            several = not isinstance(value, str) and hasattr(value, "__iter__")
            values = tuple(value) if several else (cast("str", value),)
            _check(key, values)
            requirements.append(Requirement(key, "in", tuple(sorted(values))))
    return str(Selector(tuple(requirements)))


def _check(key: object, values: tuple[object, ...]) -> None:
    """Reject text that the server would read as another condition, or as several conditions."""
    if not isinstance(key, str) or not _LABEL.fullmatch(key):
        raise ValueError(f"{key!r} is not a valid label key")
    if not values:
        raise ValueError(
            f"the label {key!r} has an empty list of values; None selects objects without it"
        )
    for value in values:
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise ValueError(f"{value!r} is not a valid value for the label {key!r}")


def selector_of(selector: LabelSelector | None) -> Selector | None:
    """Convert the `LabelSelector` of a spec (client-go: LabelSelectorAsSelector).

    None stays None and selects nothing. An empty selector selects everything.

    Raises:
        ValueError: an operator does not exist.
    """
    if selector is None:
        return None
    requirements = [
        Requirement(key, "in", (value,)) for key, value in sorted(selector.match_labels.items())
    ]
    for expression in selector.match_expressions:
        operator = _OPERATORS.get(expression.operator)
        if operator is None:
            raise ValueError(f"{expression.operator!r} is not an operator of label selectors")
        requirements.append(Requirement(expression.key, operator, tuple(sorted(expression.values))))
    return Selector(tuple(requirements))


def label_selector_text(selector: LabelSelector) -> str:
    """Return the text of the `LabelSelector` of a spec; empty if it selects everything.

    Raises:
        ValueError: an operator, a key or a value is not valid, or values are missing or superfluous
            (apimachinery: labels.NewRequirement).
    """
    for key, value in selector.match_labels.items():
        _check(key, (value,))
    for expression in selector.match_expressions:
        _check_expression(expression)
    return str(selector_of(selector) or EVERYTHING)


def _check_expression(expression: LabelSelectorRequirement) -> None:
    operator, values = expression.operator, tuple(expression.values or ())
    if operator not in _OPERATORS:
        raise ValueError(f"{operator!r} is not an operator of label selectors")
    takes_values = operator in {"In", "NotIn"}
    if takes_values != bool(values):
        needs = "needs values" if takes_values else "takes no values"
        raise ValueError(f"{operator} of the label {expression.key!r} {needs}")
    _check(expression.key, values or ("",))


_OPERATORS: dict[str, Operator] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
}


def field_selector(fields: Mapping[str, str], *, unequal: Mapping[str, str] | None = None) -> str:
    """Build a field selector: `field_selector({"metadata.name": "web-0"})`. Values are escaped."""
    equal = [f"{path}={_escape(value)}" for path, value in fields.items()]
    return ",".join(equal + [f"{p}!={_escape(value)}" for p, value in (unequal or {}).items()])


def parse_field_selector(text: str) -> list[tuple[str, bool, str]]:
    """Parse a field selector into tuples: path, whether the value must be equal, value.

    Raises:
        ValueError: a condition has no `=`, `==` or `!=`.
    """
    return [_field(part) for part in re.findall(r"(?:\\.|[^\\,])+", text)]


def _field(text: str) -> tuple[str, bool, str]:
    match = re.fullmatch(r"([^=!]+)(!=|==|=)(.*)", text)
    if not match:
        raise ValueError(f"{text!r} is not a valid requirement of a field selector")
    return match[1].strip(), match[2] != "!=", re.sub(r"\\(.)", r"\1", match[3])


def _escape(value: str) -> str:
    return re.sub(r"([\\,=])", r"\\\1", value)

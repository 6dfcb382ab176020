"""Kubernetes' formats in rules: `format.uuid().validate(self)`, `format.named('uuid')`.

Both answer with optional values, which functions in Python cannot make but expressions can: a call
is rewritten to one that answers with a map, of which an entry is asked for that may be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import (
    label_problems,
    label_value_problems,
    qualified_name_problems,
    service_label_problems,
    subdomain_problems,
)

from ..formats import STRING_FORMATS
from .expression_calls import with_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Tagged = dict[str, Any]
# Functions that answer with maps, and the entry that is the optional value.
_OPTIONAL: Final = {
    "format.named": ("format.lookup", "format"),
    ".validate": (".formatProblems", "errors"),
}
_CALL: Final = r"(?<![\w.])format\s*\.\s*named\s*\(|\.\s*validate\s*\("


def _prefix_of(check: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """A dash at the end of a prefix is not at the end of the name."""

    def look(text: str) -> list[str]:
        masked = f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text
        return check(masked)

    return look


def _known(name: str, problem: str) -> Callable[[str], list[str]]:
    return lambda text: [] if STRING_FORMATS[name](text) else [problem]


_CHECKS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "dns1123Label": label_problems,
    "dns1123Subdomain": subdomain_problems,
    "dns1035Label": service_label_problems,
    "dns1123LabelPrefix": _prefix_of(label_problems),
    "dns1123SubdomainPrefix": _prefix_of(subdomain_problems),
    "dns1035LabelPrefix": _prefix_of(service_label_problems),
    "qualifiedName": qualified_name_problems,
    "labelValue": label_value_problems,
    "uri": _known("uri", "invalid URI"),
    "uuid": _known("uuid", "does not match the UUID format"),
    "byte": _known("byte", "invalid base64"),
    "date": _known("date", "invalid date"),
    "datetime": _known("datetime", "invalid datetime"),
}
NAMES: Final = tuple(_CHECKS)
"""Names of formats. Each is also a function below `format`."""


def constant(name: str) -> Callable[[], Tagged]:
    """Return a function that makes the format of that name."""
    return lambda: {"format": name}


def named(name: str) -> Tagged:
    """An entry `format` with the format of that name, if there is one."""
    return {"format": {"format": name}} if name in _CHECKS else {}


def problems(value: Tagged, text: str) -> Tagged:
    """An entry `errors` with what is wrong with a text, if anything is."""
    errors = _CHECKS[value["format"]](text)
    return {"errors": errors} if errors else {}


def with_optionals(text: str) -> str:
    """An expression with what answers with optional values here in place of Kubernetes' calls."""
    return with_calls(text, _CALL, _optional) if "format" in text or "validate" in text else text


def _optional(call: str) -> tuple[str, str]:
    function, entry = _OPTIONAL[".validate" if call.startswith(".") else "format.named"]
    return f"{function}(", f").?{entry}"

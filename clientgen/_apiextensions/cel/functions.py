"""The functions rules may call beside CEL's own, in two forms.

For checking, with the types that Kubernetes gives them; for running, by the kinds of values there
are then. Type names are CEL's, and Kubernetes' own types begin with a capital.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from ..libraries import cel, re2
from . import address_library, authorizer_library, library, named_formats, strings
from .constructors import escaped_key
from .expression_calls import with_calls
from .go_errors import pattern_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_SUMMABLE: Final = ("int", "uint", "double", "duration")
_COMPARABLE: Final = (*_SUMMABLE, "bool", "timestamp", "string", "bytes")
_COMPARISONS: Final = ("_<_", "_<=_", "_>_", "_>=_")

_AUTHORIZATION: Final = frozenset(
    {"Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"}
)

_Row = tuple[str, str, str, "Callable[..., Any]"]
"""Name, types of parameters (where a dot comes first, of the receiver too), result, function."""

_TABLE: Final[tuple[_Row, ...]] = (
    ("charAt", ".string,int", "string", strings.char_at),
    ("indexOf", ".string,string", "int", strings.index_of),
    ("indexOf", ".string,string,int", "int", strings.index_of),
    ("lastIndexOf", ".string,string", "int", strings.last_index_of),
    ("lastIndexOf", ".string,string,int", "int", strings.last_index_of),
    ("join", ".list(string)", "string", strings.join),
    ("join", ".list(string),string", "string", strings.join),
    ("lowerAscii", ".string", "string", strings.lower_ascii),
    ("upperAscii", ".string", "string", strings.upper_ascii),
    ("replace", ".string,string,string", "string", strings.replaced),
    ("replace", ".string,string,string,int", "string", strings.replaced),
    ("split", ".string,string", "list(string)", strings.split),
    ("split", ".string,string,int", "list(string)", strings.split),
    ("substring", ".string,int", "string", strings.substring),
    ("substring", ".string,int,int", "string", strings.substring),
    ("trim", ".string", "string", str.strip),
    ("format", ".string,list(dyn)", "string", strings.formatted),
    ("strings.quote", "string", "string", strings.quoted),
    ("find", ".string,string", "string", library.find),
    ("findAll", ".string,string", "list(string)", library.find_all),
    ("findAll", ".string,string,int", "list(string)", library.find_all),
    ("url", "string", "URL", library.url),
    ("isURL", "string", "bool", library.is_url),
    ("getScheme", ".URL", "string", partial(library.url_part, part="scheme")),
    ("getHost", ".URL", "string", partial(library.url_part, part="host")),
    ("getHostname", ".URL", "string", partial(library.url_part, part="hostname")),
    ("getPort", ".URL", "string", partial(library.url_part, part="port")),
    ("getEscapedPath", ".URL", "string", partial(library.url_part, part="path")),
    ("getQuery", ".URL", "map(list(string))", library.url_query),
    ("quantity", "string", "Quantity", library.quantity),
    ("isQuantity", "string", "bool", library.is_quantity),
    ("sign", "Quantity", "int", library.sign),
    ("isGreaterThan", ".Quantity,Quantity", "bool", library.is_greater),
    ("isLessThan", ".Quantity,Quantity", "bool", library.is_less),
    ("compareTo", ".Quantity,Quantity", "int", library.compare),
    ("asApproximateFloat", ".Quantity", "double", library.as_float),
    ("asInteger", ".Quantity", "int", library.as_integer),
    ("isInteger", ".Quantity", "bool", library.is_integer),
    ("add", ".Quantity,Quantity", "Quantity", library.add),
    ("add", ".Quantity,int", "Quantity", library.add),
    ("sub", ".Quantity,Quantity", "Quantity", library.subtract),
    ("sub", ".Quantity,int", "Quantity", library.subtract),
    ("semver", "string", "Semver", library.semver),
    ("semver", "string,bool", "Semver", library.semver),
    ("isSemver", "string", "bool", library.is_semver),
    ("isSemver", "string,bool", "bool", library.is_semver),
    ("isGreaterThan", ".Semver,Semver", "bool", library.is_greater),
    ("isLessThan", ".Semver,Semver", "bool", library.is_less),
    ("compareTo", ".Semver,Semver", "int", library.compare),
    ("major", ".Semver", "int", partial(library.version_part, part="major")),
    ("minor", ".Semver", "int", partial(library.version_part, part="minor")),
    ("patch", ".Semver", "int", partial(library.version_part, part="patch")),
    ("ip", "string", "IP", address_library.ip),
    ("ip", ".CIDR", "IP", address_library.address_of),
    ("isIP", "string", "bool", address_library.is_ip),
    ("ip.isCanonical", "string", "bool", address_library.is_canonical),
    ("family", ".IP", "int", address_library.family),
    ("isUnspecified", ".IP", "bool", partial(address_library.ip_is, what="unspecified")),
    ("isLoopback", ".IP", "bool", partial(address_library.ip_is, what="loopback")),
    (
        "isLinkLocalMulticast",
        ".IP",
        "bool",
        partial(address_library.ip_is, what="link-local-multicast"),
    ),
    (
        "isLinkLocalUnicast",
        ".IP",
        "bool",
        partial(address_library.ip_is, what="link-local-unicast"),
    ),
    ("isGlobalUnicast", ".IP", "bool", partial(address_library.ip_is, what="global")),
    ("cidr", "string", "CIDR", address_library.cidr),
    ("isCIDR", "string", "bool", address_library.is_cidr),
    ("containsIP", ".CIDR,string", "bool", address_library.contains_ip),
    ("containsIP", ".CIDR,IP", "bool", address_library.contains_ip),
    ("containsCIDR", ".CIDR,string", "bool", address_library.contains_cidr),
    ("containsCIDR", ".CIDR,CIDR", "bool", address_library.contains_cidr),
    ("prefixLength", ".CIDR", "int", address_library.prefix_length),
    ("masked", ".CIDR", "CIDR", address_library.masked),
    ("format.lookup", "string", "map(Format)", named_formats.named),
    ("formatProblems", ".Format,string", "map(list(string))", named_formats.problems),
)

_AUTHORIZER: Final[tuple[_Row, ...]] = (
    ("path", ".Authorizer,string", "PathCheck", authorizer_library.path),
    ("group", ".Authorizer,string", "GroupCheck", authorizer_library.group),
    (
        "serviceAccount",
        ".Authorizer,string,string",
        "Authorizer",
        authorizer_library.service_account,
    ),
    ("resource", ".GroupCheck,string", "ResourceCheck", authorizer_library.resource),
    *(
        (
            part,
            ".ResourceCheck,string",
            "ResourceCheck",
            partial(authorizer_library.with_part, part=part),
        )
        for part in ("subresource", "namespace", "name", "fieldSelector", "labelSelector")
    ),
    ("check", ".PathCheck,string", "Decision", authorizer_library.check),
    ("check", ".ResourceCheck,string", "Decision", authorizer_library.check),
    ("allowed", ".Decision", "bool", authorizer_library.allowed),
    ("reason", ".Decision", "string", authorizer_library.reason),
    ("errored", ".Decision", "bool", authorizer_library.errored),
    ("error", ".Decision", "string", authorizer_library.error),
)
_PATCHES: Final[tuple[_Row, ...]] = (("jsonpatch.escapeKey", "string", "string", escaped_key),)


def _rows() -> Iterator[_Row]:
    yield from _TABLE
    for name in named_formats.NAMES:
        yield f"format.{name}", "", "Format", named_formats.constant(name)
    for kind in _SUMMABLE:
        yield "sum", f".list({kind})", kind, library.total
    for kind in _COMPARABLE:
        yield "isSorted", f".list({kind})", "bool", library.is_sorted
        yield "min", f".list({kind})", kind, library.smallest
        yield "max", f".list({kind})", kind, library.largest
        yield "indexOf", f".list({kind}),{kind}", "int", library.index_in
        yield "lastIndexOf", f".list({kind}),{kind}", "int", library.last_index_in


@cache
def checked_functions() -> list[Any]:
    """Declarations with Kubernetes' types, comparisons of all numbers among them."""
    return _checked(_rows())


@cache
def checked_policy_functions(*, patches: bool) -> list[Any]:
    """The same with what only policies may use: the authorizer, and keys of JSON `patches`."""
    return _checked([*_rows(), *_AUTHORIZER, *(_PATCHES if patches else ())])


def _checked(known: Iterable[_Row]) -> list[Any]:
    rows: list[tuple[str, str, str, Any]] = [(*row[:3], None) for row in known]
    rows += [
        (name, f"{left},{right}", "bool", None)
        for name in _COMPARISONS
        for left, right in _compared()
    ]
    rows += [("string", kind, "string", None) for kind in (*_COMPARABLE, "IP", "CIDR")]
    return _declared(rows, _checked_type)


def _compared() -> Iterator[tuple[str, str]]:
    numbers = ("int", "uint", "double")
    yield from ((left, right) for left in numbers for right in numbers)
    yield from ((kind, kind) for kind in _COMPARABLE if kind not in numbers)


@cache
def run_functions() -> list[Any]:
    """Declarations by the kinds of values, with what they do."""
    return _running(_rows())


@cache
def policy_functions() -> list[Any]:
    """The same with what only policies may use."""
    return _running([*_rows(), *_AUTHORIZER, *_PATCHES])


def _running(known: Iterable[_Row]) -> list[Any]:
    rows: dict[tuple[str, str], _Row] = {}
    for name, parameters, _, function in (*known, *address_library.ONLY_RUN, *_ONLY_RUN):
        kinds = ",".join(map(_kind, _each(parameters)))
        dot = "." if parameters.startswith(".") else ""
        rows[name, dot + kinds] = (name, dot + kinds, "dyn", function)
    return _declared(list(rows.values()), _run_type)


def _each(parameters: str) -> list[str]:
    return parameters.removeprefix(".").split(",") if parameters else []


def _kind(name: str) -> str:
    if name.startswith("list("):
        return "list"
    return "map" if name[0].isupper() else name


def _declared(rows: list[Any], type_of: Callable[[str], Any]) -> list[Any]:
    overloads: dict[str, list[Any]] = {}
    for name, parameters, result, function in rows:
        overload: dict[str, Any] = {
            "id": f"{name}({parameters})",
            "return_type": type_of(result),
            "parameters": [type_of(kind) for kind in _each(parameters)],
            "is_member": parameters.startswith("."),
        }
        if function is not None:
            overload["impl"] = _with_go_errors(function)
        overloads.setdefault(name, []).append(cel().Overload(**overload))
    return [cel().FunctionDecl(name, overload) for name, overload in overloads.items()]


def _with_go_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose errors do not have the words of Python.

    The library takes any list and map for a function of lists or quantities, and its errors as
    they are.
    """

    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except re2().error as error:
            raise ValueError(f"Illegal regex: {pattern_error(error.args[0])}") from None
        except (TypeError, LookupError, AttributeError):
            raise ValueError("no such overload") from None

    return called


_RANGE: Final = r"(?<![\w.])lists\s*\.\s*range\s*\("


def with_ranges(text: str) -> str:
    """An expression in which `lists.range` of a negative number is empty, as with cel-go.

    The library fails at it.
    """
    if not re.search(_RANGE, text):
        return text
    return with_calls(text, _RANGE, lambda _: ("lists.range(atLeastZero(", "))"))


def _at_least_zero(number: int) -> int:
    return max(number, 0)


_ONLY_RUN: Final[tuple[_Row, ...]] = (("atLeastZero", "int", "int", _at_least_zero),)
"""What `with_ranges` writes."""


def _checked_type(name: str) -> Any:
    types = cel().Type
    if name.startswith("list("):
        return types.List(_checked_type(name[5:-1]))
    if name.startswith("map("):
        return types.Map(types.STRING, _checked_type(name[4:-1]))
    if not name[0].isupper():
        return getattr(types, name.upper())
    within = "kubernetes.authorization" if name in _AUTHORIZATION else "kubernetes"
    return types.AbstractType(f"{within}.{name}")


def _run_type(name: str) -> Any:
    types = cel().Type
    # Containers of anything: the kinds of what they hold are not looked at.
    containers = {"list": types.List(types.DYN), "map": types.Map(types.DYN, types.DYN)}
    return containers.get(name) or getattr(types, name.upper())

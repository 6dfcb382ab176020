"""The `+k8s:` tags of declarative validation: their grammar, and where each may stand.

The tags are those of Kubernetes' validation-gen, the grammar is gengo's: `+k8s:name`,
`+k8s:name=value`, `+k8s:name(arguments)=value`. The value of some is another tag, which says
something of a part: `+k8s:eachVal=+k8s:maxLength=63`. What the tags become in a
CustomResourceDefinition is in `generator.crds.tag_rules`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from clientgen.generator.kubebuilder.marker_values import MarkerValueError, read_value

Scalar: TypeAlias = str | int | bool
Payload: TypeAlias = Literal["none", "int", "string", "scalar", "tag"]

PREFIX: Final = "k8s:"
_MAX_NESTING: Final = 20
_OPTION_HINT: Final = "a CustomResourceDefinition has no options: write the inner tag, or nothing"
_TEST_HINT: Final = "it is for tests of validation-gen"


@dataclass(frozen=True, slots=True)
class TagRule:
    """What one tag takes.

    `named` are the arguments with names, `needs` those that are required; `value` is what stands
    behind `=`. `on_class` tells whether it may stand above a class, not only above a field.
    """

    value: Payload = "none"
    named: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    positional: bool = False
    any_names: bool = False
    on_class: bool = False
    choices: tuple[str, ...] = ()


_UNION: Final = frozenset(["union", "memberName"])

TAGS: Final[Mapping[str, TagRule]] = MappingProxyType(
    {
        "beta": TagRule("tag", named=frozenset(["since"]), on_class=True),
        "dependentForbidden": TagRule(positional=True),
        "dependentRequired": TagRule(positional=True),
        "eachKey": TagRule("tag"),
        "eachVal": TagRule("tag"),
        "enum": TagRule(),
        "forbidden": TagRule(),
        "format": TagRule("string"),
        "ifMode": TagRule("tag", named=frozenset(["mode", "modality"]), positional=True),
        "immutable": TagRule(on_class=True),
        "item": TagRule("tag", any_names=True),
        "listMapKey": TagRule("string"),
        "listType": TagRule("string", choices=("atomic", "map", "set")),
        "maxBytes": TagRule("int"),
        "maxItems": TagRule("int"),
        "maxLength": TagRule("int"),
        "maxProperties": TagRule("int"),
        "maximum": TagRule("int"),
        "minItems": TagRule("int"),
        "minLength": TagRule("int"),
        "minProperties": TagRule("int"),
        "minimum": TagRule("int"),
        "modeDiscriminator": TagRule(named=frozenset(["modality"])),
        "monotonic": TagRule(),
        "neq": TagRule("scalar"),
        "opaqueType": TagRule(),
        "optional": TagRule(),
        "required": TagRule(),
        "subfield": TagRule("tag", positional=True, on_class=True),
        "unionDiscriminator": TagRule(named=frozenset(["union"])),
        "unionMember": TagRule(named=_UNION),
        "unique": TagRule("string", choices=("map", "set")),
        "update": TagRule(
            "string", choices=("NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem")
        ),
        "zeroOrOneOfMember": TagRule(named=_UNION),
    }
)
"""The tags that a CustomResourceDefinition can express, without `k8s:`."""

REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "alpha": "servers do not enforce what it holds: write the inner tag, which is enforced",
        "customUnique": "servers always check lists of type set and map: write `+listType=atomic`, "
        "and `+kubebuilder:validation:XValidation` with your own rule",
        "customValidation": "servers run no code of yours: write "
        "`+kubebuilder:validation:XValidation`, or an admission webhook",
        "enumExclude": "leave the value out of `Literal[...]`",
        "ifDisabled": _OPTION_HINT,
        "ifEnabled": _OPTION_HINT,
        "validateError": _TEST_HINT,
        "validateFalse": _TEST_HINT,
        "validateTrue": _TEST_HINT,
        "validateTrueAlpha": _TEST_HINT,
        "validateTrueBeta": _TEST_HINT,
    }
)
"""The tags that it cannot express, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: its name without `k8s:`, its arguments, and its value.

    `position` is the argument without a name. `inner` is the tag that is the value.
    """

    name: str
    value: Scalar | None = None
    inner: Tag | None = None
    position: Scalar | None = None
    arguments: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])

    @property
    def written(self) -> str:
        """The tag as messages name it."""
        return f"+{PREFIX}{self.name}"

    def text(self, argument: str, default: str = "") -> str:
        """An argument that is a string."""
        return str(self.arguments.get(argument, default))


_HEAD: Final = re.compile(r"\+?k8s:(?P<name>[A-Za-z]\w*(?:-\w+)*)")


def tag_name(text: str) -> str:
    """Return the name of the tag in a marker's text; empty if the marker is no known tag."""
    match = _HEAD.match(text.strip())
    name = match["name"] if match else ""
    return name if name in TAGS or name in REFUSED else ""


def read_tag(text: str, *, depth: int = 0) -> Tag:
    """Read a tag with everything that belongs to it.

    Raises:
        MarkerValueError: it is unknown, cannot be expressed, or has wrong arguments or values.
    """
    text = text.strip()
    match = _HEAD.match(text)
    if not match:
        raise MarkerValueError(f"`{text}` is no tag", "write `+k8s:name` or `+k8s:name=value`")
    if depth > _MAX_NESTING:
        raise MarkerValueError("its tags are nested too deeply", "write a simpler one")
    name = match["name"]
    if name in REFUSED:
        what = f"a CustomResourceDefinition cannot express `+k8s:{name}`"
        raise MarkerValueError(what, REFUSED[name])
    if name not in TAGS:
        raise MarkerValueError(f"`+k8s:{name}` is not a known tag", close_tag(name))
    rule = TAGS[name]
    reader = _Arguments(text[match.end() :])
    position, arguments = reader.read()
    _check_arguments(rule, position, arguments)
    rest = reader.rest.strip()
    if rest and not rest.startswith("="):
        raise MarkerValueError(f"`{rest}` does not belong there", "write `+k8s:name(...)=value`")
    value, inner = _value(rule, rest[1:].strip() if rest else None, depth)
    return Tag(name, value, inner, position, arguments)


def close_tag(name: str) -> str:
    """The hint for an unknown tag."""
    known = {each.lower(): each for each in (*TAGS, *REFUSED)}
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return f"did you mean `+k8s:{known[close[0]]}`?" if close else f"the tags are {', '.join(TAGS)}"


def _check_arguments(
    rule: TagRule, position: Scalar | None, arguments: Mapping[str, Scalar]
) -> None:
    unknown = [] if rule.any_names else [each for each in arguments if each not in rule.named]
    if unknown:
        takes = ", ".join(f"`{each}`" for each in sorted(rule.named)) or "none with a name"
        raise MarkerValueError(f"it has no argument `{unknown[0]}`", f"it has {takes}")
    if position is not None and not rule.positional:
        raise MarkerValueError("its argument has no name", "write `(name: value)`")
    if rule.positional and position is None and "mode" not in arguments:
        raise MarkerValueError("it lacks its argument", "write it in brackets: `(name)`")
    if rule.any_names and not arguments:
        raise MarkerValueError("it lacks the keys of the item", 'write `(name: "value")`')


def _value(rule: TagRule, text: str | None, depth: int) -> tuple[Scalar | None, Tag | None]:
    if rule.value == "none":
        if text:
            raise MarkerValueError(f"it takes no value, but is given `{text}`", "remove it")
        return None, None
    if not text:
        wanted = "another tag: `=+k8s:...`" if rule.value == "tag" else "a value: `=...`"
        raise MarkerValueError("it has no value", f"write {wanted}")
    if rule.value == "tag":
        return None, read_tag(text, depth=depth + 1)
    if rule.value == "int":
        return int(read_value(text, "int")), None
    value = _scalar(text) if rule.value == "scalar" else str(read_value(text, "string"))
    if rule.choices and value not in rule.choices:
        raise MarkerValueError(f"it cannot be `{value}`", f"it is one of {', '.join(rule.choices)}")
    return value, None


def _scalar(text: str) -> Scalar:
    """Read a value whose type its spelling tells: only quotes make a number a string."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return int(text)
    return str(read_value(text, "string"))


_NAME: Final = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*:\s*")
_ARGUMENT: Final = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?P<bare>[^\s,()"`]+))\s*'
)


class _Arguments:
    """Reads what stands in brackets behind the name of a tag; `rest` is what follows."""

    def __init__(self, text: str) -> None:
        self.rest = text

    def read(self) -> tuple[Scalar | None, dict[str, Scalar]]:
        """Return the argument without a name, and those with names."""
        position: Scalar | None = None
        named: dict[str, Scalar] = {}
        if not self._take("("):
            return None, named
        while not self._take(")"):
            if (named or position is not None) and not self._take(","):
                raise MarkerValueError("its brackets are not closed", "write `(name: value)`")
            name = self._name()
            value = self._scalar()
            if name in named or (not name and position is not None):
                raise MarkerValueError(f"`{name or value}` is given twice", "remove one")
            if name:
                named[name] = value
            else:
                position = value
        return position, named

    def _take(self, sign: str) -> bool:
        rest = self.rest.lstrip()
        if not rest.startswith(sign):
            return False
        self.rest = rest[1:]
        return True

    def _name(self) -> str:
        match = _NAME.match(self.rest)
        if not match:
            return ""
        self.rest = self.rest[match.end() :]
        return match[1]

    def _scalar(self) -> Scalar:
        match = _ARGUMENT.match(self.rest)
        if not match:
            raise MarkerValueError("an argument has no value", "write `(name: value)`")
        self.rest = self.rest[match.end() :]
        quoted = match["quoted"]
        return _unquoted(quoted) if quoted else _scalar(match["bare"])


def _unquoted(text: str) -> str:
    if text.startswith("`"):
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        raise MarkerValueError(f"{text} is not a string", "double the backslashes") from None

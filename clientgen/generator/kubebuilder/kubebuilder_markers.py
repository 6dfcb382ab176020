"""The `+kubebuilder` grammar: what an author says about a CustomResourceDefinition in comments.

The words and their values are those of Kubernetes' controller-tools (see `vocabulary` and
`marker_values`), but nothing is ignored: what is unknown, in the wrong place, repeated or of the
wrong type is a problem, and all of them are shown at once.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen.generator.kubebuilder.declarative_tags import PREFIX as TAG_PREFIX
from clientgen.generator.kubebuilder.declarative_tags import (
    REFUSED,
    TAGS,
    Tag,
    read_tag,
    tag_name,
)
from clientgen.generator.kubebuilder.marker_values import (
    MarkerValueError,
    read_arguments,
    read_value,
)
from clientgen.generator.kubebuilder.vocabulary import (
    ALIASES,
    IGNORED,
    ITEMS,
    MARKERS,
    PREFIX,
    Level,
    MarkerRule,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clientgen._problems import Problems
    from clientgen.generator.genclient import MarkerLine

_MAX_DEPTH: Final = 200
# Kubernetes' own generators take JSON here; controller-tools' `+kubebuilder:default` does not.
_JSON: Final = "default"
_BOTH: Final = frozenset[Level](["type", "field"])
_PLACES: Final[Mapping[Level, str]] = {
    "type": "above a class",
    "field": "above a field",
    "module": "at the top of the module",
}


@dataclass(frozen=True, slots=True)
class KubebuilderMarker:
    """One marker.

    `name` is without `kubebuilder:`, and one of `vocabulary.MARKERS`, perhaps with `items:` behind
    `validation:`. `value` is what stands behind `=`; True for a marker that takes nothing, a
    mapping of the arguments that were given for one that takes arguments. A tag of declarative
    validation is a `Tag`, and its `name` is the whole text.
    """

    name: str
    value: Any
    where: str
    # As it was written, without its value; for messages.
    written: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A tag, and the marker that it stands in."""

    tag: Tag
    marker: KubebuilderMarker


def parse_markers(
    lines: Iterable[MarkerLine], problems: Problems, level: Level
) -> tuple[KubebuilderMarker, ...]:
    """Read the markers of a module, a class or a field; what is wrong goes to `problems`.

    Lines of other generators (`+genclient`, `+k8s:deepcopy-gen`, ...) are passed over.
    """
    by_name: dict[str, KubebuilderMarker] = {}
    markers: list[KubebuilderMarker] = []
    for line in lines:
        head = line.text.strip().removeprefix("+").partition("=")[0].strip()
        is_alone = head in ALIASES or not tag_name(line.text)
        marker = (_parse if is_alone else _parse_tag)(line, problems, level)
        if marker is None:
            continue
        first = by_name.setdefault(marker.name, marker)
        if first is marker or (not is_tag(marker) and _word(marker.name).repeated):
            markers.append(marker)
        else:
            what = f"`+{marker.written}` is given twice"
            problems.add(line.where, what, f"remove one; the first is at {first.where}")
    return tuple(markers)


def is_tag(marker: KubebuilderMarker) -> bool:
    """Return whether it is a `+k8s:` tag of declarative validation."""
    return isinstance(marker.value, Tag)


def _parse(line: MarkerLine, problems: Problems, level: Level) -> KubebuilderMarker | None:
    head, sign, tail = line.text.strip().removeprefix("+").partition("=")
    head = head.strip()
    if _is_ignored(head, level):
        return None
    if line.text.count("{") + line.text.count("[") > _MAX_DEPTH:
        problems.add(line.where, f"`+{head}` has too many brackets", "write a simpler value")
        return None
    written, text = _split(head, sign, tail.strip())
    name = _name(written)
    if name is None:
        problems.add(line.where, f"`+{head}` is not a known marker", _suggest(head))
        return None
    word = _word(name)
    if level not in word.levels:
        places = " or ".join(_PLACES[place] for place in _PLACES if place in word.levels)
        problems.add(line.where, f"`+{written}` does not belong here", f"write it {places}")
        return None
    try:
        value = _read(word, text) if written != _JSON else _read_json(text)
        _check(name, word, value)
    except MarkerValueError as error:
        problems.add(line.where, f"`+{written}`: {error.what}", error.hint)
        return None
    return KubebuilderMarker(name, value, line.where, written)


def _parse_tag(line: MarkerLine, problems: Problems, level: Level) -> KubebuilderMarker | None:
    text = line.text.strip()
    written = TAG_PREFIX + tag_name(text)
    try:
        tag = read_tag(text)
    except MarkerValueError as error:
        problems.add(line.where, f"`+{written}`: {error.what}", error.hint)
        return None
    if level == "module" or (level == "type" and not TAGS[tag.name].on_class):
        places = "above a class or above a field" if TAGS[tag.name].on_class else "above a field"
        problems.add(line.where, f"`+{written}` does not belong here", f"write it {places}")
        return None
    return KubebuilderMarker(text, tag, line.where, written)


def _is_ignored(head: str, level: Level) -> bool:
    if head == "groupName" and level == "type":  # one of the +genclient grammar
        return True
    return any(
        head == word
        or (head.startswith(word) if word.endswith(":") else head.startswith(f"{word}:"))
        for word in IGNORED
    )


def _split(head: str, sign: str, tail: str) -> tuple[str, str | None]:
    """The marker and the text of its value; the first argument is part of the head."""
    if _name(head) is None:
        outer, _, first = head.rpartition(":")
        name = _name(outer)
        if name is not None and _word(name).arguments:
            return outer, f"{first}{sign}{tail}"
    return head, tail if sign else None


def _name(written: str) -> str | None:
    """The name used here, if the spelling is one of the grammar's."""
    if written in ALIASES:
        return ALIASES[written]
    name = written.removeprefix(PREFIX)
    if name not in MARKERS and not _is_items(name):
        return None
    return name if _word(name).prefixed == (name != written) else None


def _is_items(name: str) -> bool:
    inner = _without_items(name)
    word = MARKERS.get(inner)
    return name != inner and word is not None and word.levels == _BOTH


def _without_items(name: str) -> str:
    while name.startswith(ITEMS):
        name = "validation:" + name.removeprefix(ITEMS)
    return name


def _word(name: str) -> MarkerRule:
    return MARKERS[_without_items(name)]


def _read_json(text: str | None) -> Any:
    if text is None:
        raise MarkerValueError("it has no value", "write it as `default=value`")
    return read_value(text, "json")


def _read(word: MarkerRule, text: str | None) -> Any:
    if word.arguments:
        return _read_arguments(word, text)
    if word.kind == "flag":
        if text not in (None, "true"):  # `=true` does no harm
            raise MarkerValueError(
                f"it takes no value, but is given `{text}`", "write it without a value"
            )
        return True
    if text is None:
        raise MarkerValueError("it has no value", "write it as `marker=value`")
    return read_value(text, word.kind)


def _read_arguments(word: MarkerRule, text: str | None) -> dict[str, Any]:
    arguments = read_arguments(text, dict(word.arguments)) if text is not None else {}
    missing = [name for name in word.required if name not in arguments]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        raise MarkerValueError(f"it lacks {listed}", "write `name=value`, with a comma between")
    return arguments


def _check(name: str, word: MarkerRule, value: Any) -> None:
    for argument, choices in word.choices.items():
        declared = value.get(argument) if argument else value
        if declared is not None and declared not in choices:
            subject = f"`{argument}` cannot be" if argument else "it cannot be"
            raise MarkerValueError(f"{subject} `{declared}`", f"it is one of {', '.join(choices)}")
    if _without_items(name) == "validation:UniqueItems" and value:
        hint = "write `+listType=set`"
        raise MarkerValueError("the API server refuses this marker on lists", hint)


def _suggest(head: str) -> str:
    tags = [TAG_PREFIX + name for name in (*TAGS, *REFUSED)]
    spellings = {written.lower(): written for written in (*_spellings(MARKERS), *ALIASES, *tags)}
    head = head.partition("(")[0]
    close = difflib.get_close_matches(head.lower(), spellings, n=1, cutoff=0.6)
    # Often only the beginning is missing, or too much: `+Minimum=0`, `+kubebuilder:listType=map`.
    last = head.lower().removeprefix(PREFIX)
    ending = [
        spellings[spelling]
        for spelling in spellings
        if spelling == last or spelling.endswith(f":{last}")
    ]
    best = ending[0] if ending else spellings[close[0]] if close else None
    if best:
        return f"did you mean `+{best}`?"
    return "the known markers are `+kubebuilder` and `+k8s` for CRDs, `+genclient` and `+k8s:*-gen`"


def _spellings(names: Iterable[str]) -> list[str]:
    return sorted(PREFIX + name if _word(name).prefixed else name for name in names)

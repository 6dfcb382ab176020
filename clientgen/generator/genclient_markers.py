"""The `+genclient` grammar: what an author says about a type beyond what its spec says.

The words and their meaning are those of Kubernetes' client-gen, but nothing is ignored: whatever is
not understood, said twice or contradicts itself is a problem, and all of them are shown at once. A
marker is an override; the spec decides what the API offers (see `overrides`).
"""

from __future__ import annotations

import difflib
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from clientgen._problems import Problem, Problems
from clientgen.generator.genclient import (
    METHOD_VERBS,
    STATUS_VERBS,
    SUPPORTED_VERBS,
    Genclient,
    GenclientMethod,
    MarkerLine,
    Tag,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_KNOWN = (*Tag.TYPE, *Tag.NAMES, *Tag.SWITCHES)
# The markers of client-gen from before they had a prefix, and their names today.
_OLD = {
    "nonNamespaced": Tag.NON_NAMESPACED,
    "readonly": Tag.READONLY,
    "noMethods": Tag.NO_VERBS,
}
_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAMES = {
    Tag.RESOURCE_NAME: (re.compile(_LABEL), "the plural of the URL, such as `widgets`"),
    Tag.GROUP_NAME: (
        re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*)?"),
        "an API group such as `apps.example.com`, or nothing for the core group",
    ),
    Tag.GROUP_GO_NAME: (re.compile(r"[A-Za-z][A-Za-z0-9]*"), "one word such as `ExampleApps`"),
}
_METHOD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TYPE = re.compile(r"(?:[\w./~-]+\.)?[A-Za-z]\w*", re.ASCII)
_OPTIONS = {
    "verb": re.compile(r".+"),
    "subresource": re.compile(r"[\w.~-]+(?:/[\w.~-]+)*", re.ASCII),
    "input": _TYPE,
    "result": _TYPE,
}
# client-gen: the verbs whose methods take a body, and those whose methods answer with an object.
_VERBS_WITH = {
    "input": ("create", "update", "apply"),
    "result": ("create", "update", "get", "list", "patch", "apply"),
}
_METHOD_FORM = "write `+genclient:method=Name,verb=V[,subresource=path][,input=Type][,result=Type]`"
_MARKER = re.compile(r"\s*\+([A-Za-z][\w.-]*)", re.ASCII)
_TRAILING_COMMENT = re.compile(r"\s(?://|#)")


def parse_markers(lines: Iterable[MarkerLine], problems: Problems) -> Genclient:
    """Read the markers of one type; what is wrong with them goes to `problems`.

    Every line must be a marker of this grammar: take those of a longer text by `extract_markers`.
    """
    reader = _Reader(problems)
    for line in lines:
        reader.read(line)
    return reader.finish()


def extract_markers(description: str, where: str) -> list[MarkerLine]:
    """The lines of a description that are markers of this grammar, or were meant to be."""
    if "+" not in description:
        return []
    numbered = enumerate(description.splitlines(), start=1)
    return [MarkerLine(text.strip(), f"{where}, line {n}") for n, text in numbered if _meant(text)]


def strip_markers(description: str) -> str:
    """The description as documentation: without the lines that talk to generators.

    Kubernetes' own generators drop every line that starts with `+`; a list item, whose plus sign is
    followed by a blank, is text.
    """
    if "+" not in description:
        return description
    lines = description.splitlines()
    return "\n".join(line for line in lines if not _MARKER.match(line)).strip("\n")


def _meant(text: str) -> bool:
    match = _MARKER.match(text)
    if not match:
        return False
    word = match[1]
    if word == "k8s":
        return text.strip().removeprefix("+").partition("=")[0].strip() in Tag.SWITCHES
    return word in _OLD or bool(_close(word, (Tag.GENCLIENT, *Tag.NAMES), 0.85))


class _Reader:
    """The markers of one type while they are read."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._places: dict[str, str] = {}
        self._verbs: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._methods: dict[str, GenclientMethod] = {}
        self._switches: dict[str, bool] = {}

    def read(self, line: MarkerLine) -> None:
        """Take in one line."""
        tag, value = _split(line.text)
        refusal = _refusal(line.text.strip(), tag, value)
        if refusal:
            self._problems.add(line.where, *refusal)
        elif tag == Tag.METHOD:
            self._read_method(line.where, value)
        elif tag in Tag.SWITCHES:
            self._read_switch(line.where, tag, enabled=value != "false")
        elif self._is_first(line.where, tag):
            self._read_value(line.where, tag, value)

    def _is_first(self, where: str, tag: str) -> bool:
        if tag not in self._places:
            self._places[tag] = where
            return True
        first = self._places[tag]
        self._problems.add(
            where, f"`+{tag}` is given twice", f"remove one; the first is at {first}"
        )
        return False

    def _read_value(self, where: str, tag: str, value: str) -> None:
        if tag in Tag.VERB_LISTS:
            self._verbs[tag] = self._read_verbs(where, tag, value)
        elif tag in Tag.NAMES:
            self._names[tag] = value

    def _read_verbs(self, where: str, tag: str, value: str) -> tuple[str, ...]:
        # client-gen neither trims nor checks these: its `get, list` skips or keeps nothing but get.
        verbs = [verb.strip() for verb in value.split(",")]
        for verb in dict.fromkeys(verbs):
            if not verb:
                hint = f"the verbs are {', '.join(SUPPORTED_VERBS)}"
                self._problems.add(where, f"`+{tag}` has an empty item in its list", hint)
            elif verb not in SUPPORTED_VERBS:
                what = f"`+{tag}` names `{verb}`, which is not a verb"
                self._problems.add(where, what, _suggest(verb, SUPPORTED_VERBS, "the verbs are"))
            elif verbs.count(verb) > 1:
                self._problems.add(where, f"`+{tag}` names `{verb}` twice", "remove one")
        return tuple(verb for verb in SUPPORTED_VERBS if verb in verbs)

    def _read_switch(self, where: str, tag: str, *, enabled: bool) -> None:
        first = self._places.setdefault(tag, where)
        if self._switches.setdefault(tag, enabled) is not enabled:
            what = f"`+{tag}` is given as both `false` and another value"
            self._problems.add(where, what, f"remove one; the first is at {first}")

    def _read_method(self, where: str, value: str) -> None:
        name, *parts = (part.strip() for part in value.split(","))
        own_problems = Problems()
        method = _method(where, name, _options(where, parts, own_problems), own_problems)
        first = self._methods.setdefault(name, method)
        if first is not method:
            what = f"the method `{name}` is declared twice"
            own_problems.add(where, what, f"rename one; the first is at {first.where}")
        self._places.setdefault(Tag.METHOD, where)
        self._problems.extend(own_problems)

    def finish(self) -> Genclient:
        """Return the markers that were read, checked against each other."""
        off = (tag for tag, enabled in self._switches.items() if not enabled)
        genclient = Genclient(
            generate=Tag.GENCLIENT in self._places,
            non_namespaced=Tag.NON_NAMESPACED in self._places,
            no_verbs=Tag.NO_VERBS in self._places,
            only_verbs=self._verbs.get(Tag.ONLY_VERBS, ()),
            skip_verbs=self._verbs.get(Tag.SKIP_VERBS, ()),
            readonly=Tag.READONLY in self._places,
            no_status=Tag.NO_STATUS in self._places,
            methods=tuple(self._methods.values()),
            resource_name=self._names.get(Tag.RESOURCE_NAME),
            group_name=self._names.get(Tag.GROUP_NAME),
            group_go_name=self._names.get(Tag.GROUP_GO_NAME),
            disabled=frozenset(tag[len("k8s:") : -len("-gen")] for tag in off),
            places=MappingProxyType(self._places),
        )
        self._problems.extend(_conflicts(genclient))
        return genclient


def _split(text: str) -> tuple[str, str]:
    """Tag and value; `+groupGoName()=X` is how gengo writes a tag without arguments."""
    tag, _, value = text.strip().removeprefix("+").partition("=")
    return tag.strip().removesuffix("()"), value.strip()


def _refusal(text: str, tag: str, value: str) -> tuple[str, str] | None:
    """Return the problem of a single line and a hint; None if the line is right."""
    if not text.startswith("+"):
        return f"`{text}` is not a marker", "a marker starts with a plus sign: `+genclient`"
    if _TRAILING_COMMENT.search(text):
        return (
            f"`{text}` ends with a comment",
            "a marker cannot contain a comment: put it on a line of its own",
        )
    if tag in _OLD:
        return f"`{text}` is an old spelling", f"write `+{_OLD[tag]}`"
    if tag not in _KNOWN:
        return f"`+{tag}` is not a known marker", _suggest_tag(tag)
    return _refused_value(tag, value)


def _refused_value(tag: str, value: str) -> tuple[str, str] | None:
    if tag in Tag.FLAGS and value:
        return _refused_flag(tag, value)
    if tag in _NAMES and not _NAMES[tag][0].fullmatch(value):
        return f"`+{tag}` cannot be `{value}`", f"write {_NAMES[tag][1]}"
    return None


def _refused_flag(tag: str, value: str) -> tuple[str, str] | None:
    """client-gen ignores the value of a flag, so that `=false` means true; `=true` does no harm."""
    if tag == Tag.GENCLIENT:
        return f"`+{tag}={value}` is an old spelling", "write `+genclient`"
    if value == "true":
        return None
    return f"`+{tag}` takes no value, but has `{value}`", f"write `+{tag}`, or leave it out"


def _options(where: str, parts: Iterable[str], problems: Problems) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in parts:
        key, _, value = (word.strip() for word in part.partition("="))
        if key not in _OPTIONS:
            hint = _suggest(key, _OPTIONS, "it has")
            problems.add(where, f"`+{Tag.METHOD}` has no option `{key}`", hint)
        elif key in options:
            problems.add(where, f"`+{Tag.METHOD}` has the option `{key}` twice", "remove one")
        elif not _OPTIONS[key].fullmatch(value):
            what = f"`{key}` of `+{Tag.METHOD}` cannot be `{value}`"
            problems.add(where, what, _METHOD_FORM)
            options[key] = ""
        else:
            options[key] = value
    return options


def _method(where: str, name: str, options: dict[str, str], problems: Problems) -> GenclientMethod:
    if not _METHOD_NAME.fullmatch(name):
        problems.add(where, f"`+{Tag.METHOD}={name}` does not name a method", _METHOD_FORM)
    verb = options.get("verb")
    if verb is None:
        problems.add(where, f"the method `{name}` has no verb", _METHOD_FORM)
    elif verb:
        problems.extend(_wrong_verb(where, name, verb))
        problems.extend(_wrong_types(where, name, verb, options))
    return GenclientMethod(
        name=name,
        verb=verb or "",
        subresource=options.get("subresource") or None,
        input=options.get("input") or None,
        result=options.get("result") or None,
        where=where,
    )


def _wrong_verb(where: str, name: str, verb: str) -> Iterable[Problem]:
    if verb in STATUS_VERBS:
        plain = verb.removesuffix("Status")
        what = f"the method `{name}` cannot have the verb `{verb}`"
        yield Problem(where, what, f"write `verb={plain},subresource=status`")
    elif verb not in METHOD_VERBS:
        what = f"the method `{name}` has the verb `{verb}`, which is not a verb"
        yield Problem(where, what, _suggest(verb, METHOD_VERBS, "the verbs are"))


def _wrong_types(where: str, name: str, verb: str, options: dict[str, str]) -> Iterable[Problem]:
    for option, verbs in _VERBS_WITH.items():
        if option in options and verb in METHOD_VERBS and verb not in verbs:
            what = f"the method `{name}` has the verb `{verb}`, which takes no `{option}`"
            yield Problem(where, what, f"leave it out; these take one: {', '.join(verbs)}")


def _conflicts(genclient: Genclient) -> Iterable[Problem]:
    """Lines that are right by themselves and contradict each other.

    client-gen takes one of them silently. `readonly` with `onlyVerbs` is no conflict: it keeps the
    verbs of both.
    """
    places = genclient.places
    for tag in (Tag.ONLY_VERBS, Tag.READONLY, Tag.METHOD):
        if Tag.NO_VERBS in places and tag in places:
            yield _conflict(places[tag], tag, Tag.NO_VERBS, places[Tag.NO_VERBS])
    for tag in (Tag.ONLY_VERBS, Tag.READONLY):
        if Tag.SKIP_VERBS in places and tag in places:
            yield _conflict(places[Tag.SKIP_VERBS], Tag.SKIP_VERBS, tag, places[tag])
    for verb in STATUS_VERBS:
        if genclient.no_status and verb in genclient.only_verbs:
            what = f"`+{Tag.ONLY_VERBS}` asks for `{verb}`, which `+{Tag.NO_STATUS}` removes"
            yield Problem(places[Tag.ONLY_VERBS], what, "remove one of the two")


def _conflict(where: str, tag: str, other: str, other_where: str) -> Problem:
    what = f"`+{tag}` contradicts `+{other}`"
    return Problem(where, what, f"remove one; the other is at {other_where}")


def _close(word: str, candidates: Iterable[str], cutoff: float = 0.6) -> str:
    """The known word that was probably meant, whatever its case; "" if none is close."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[matches[0]] if matches else ""


def _suggest(word: str, candidates: Collection[str], intro: str) -> str:
    close = _close(word, candidates)
    return f"did you mean `{close}`?" if close else f"{intro} {', '.join(candidates)}"


def _suggest_tag(tag: str) -> str:
    close = _close(tag, _KNOWN)
    if close:
        return f"did you mean `+{close}`?"
    return f"the markers are {', '.join(f'`+{tag}`' for tag in _KNOWN)}"

"""Words of the API: what a group, a version, a kind, a plural and the like may be.

The rules are the API server's (apimachinery, `util/validation`). A word of a document is checked
where it is read, because later stages write it into paths, names and texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._problems import Problems

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_LABEL_1035 = r"[a-z](?:[-a-z0-9]*[a-z0-9])?"
_SEGMENT = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_MAX_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Rule:
    """The syntax of one kind of word."""

    called: str
    pattern: re.Pattern[str]
    longest: int
    hint: str

    def fits(self, word: str) -> bool:
        """Return whether a text is a word of this kind."""
        return len(word) <= self.longest and self.pattern.fullmatch(word) is not None


# IsDNS1123Subdomain; the core group has no name.
GROUP = Rule(
    "API group",
    re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*)?"),
    253,
    "A group is a domain such as `apps.example.com`: lower-case letters, digits, `-` and dots.",
)
# IsDNS1035Label, of a kind in lower case.
VERSION = Rule(
    "API version",
    re.compile(_LABEL_1035),
    63,
    "A version is like `v1` or `v1beta1`: lower-case letters, digits and `-`.",
)
KIND = Rule(
    "kind",
    re.compile(r"[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?"),
    63,
    "A kind is a word such as `CronTab`: letters, digits and `-`.",
)
PLURAL = Rule(
    "plural of a resource",
    re.compile(_LABEL_1035),
    63,
    "A plural is like `crontabs`: lower-case letters, digits and `-`.",
)
# Some servers have several segments, and parameters in them: `proxy/{path}`.
SUBRESOURCE = Rule(
    "subresource",
    re.compile(rf"{_SEGMENT}(?:/(?:{_SEGMENT}|\{{[A-Za-z0-9_]+\}}))*"),
    253,
    "A subresource is like `status`: letters, digits, `-`, `_` and dots.",
)
# A Go package with dots, or with the slashes that it has in Go, and a type.
DEFINITION = Rule(
    "name of a definition",
    re.compile(r"(?:[-A-Za-z0-9._~/]*[-._~/])?[A-Za-z0-9](?:[-A-Za-z0-9_]*[A-Za-z0-9])?"),
    500,
    "A definition is called like `com.example.v1.CronTab`: letters, digits, `-`, `_` and dots.",
)


class Words:
    """The words of one document. A wrong word is reported once, where it is met first."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._results: dict[tuple[str, str], bool] = {}

    def fit(self, word: str, rule: Rule, where: str) -> bool:
        """Return whether a word follows a rule, and report it if it does not."""
        key = rule.called, word
        is_valid = self._results.get(key)
        if is_valid is None:
            is_valid = self._results[key] = rule.fits(word)
            if not is_valid:
                article = "an" if rule.called[0] in "Aaeiou" else "a"
                what = f"{shown(word)} cannot be {article} {rule.called}"
                self._problems.add(where, what, rule.hint)
        return is_valid

    def name(self, of: GroupVersion | GroupVersionKind, where: str) -> bool:
        """Return whether group, version and, if there is one, kind follow their rules."""
        pairs = [(of.group, GROUP), (of.version, VERSION)]
        if isinstance(of, GroupVersionKind):
            pairs.append((of.kind, KIND))
        fits = [self.fit(word, rule, where) for word, rule in pairs]
        return all(fits)


def shown(word: object) -> str:
    """Return a word for messages: in ASCII, without control characters, and shortened."""
    text = ascii(word)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"

"""Facts in fixed words at the end of a text: defaults, limits, releases, deprecations.

The texts of kubeapi (specs/descriptions) state facts in fixed words, and the generator
adds sentences about a schema (`generator/resolve/schema_sentences`). Both stand at the end. A
sentence that is not in these words stays in the text.
"""

from __future__ import annotations

import re
from typing import Final

from clientgen.reference.records import Facts

# Longer ends of texts hold no more facts. The search is linear in what is left.
_MAX_CHARS: Final = 3000
_SENTENCE: Final = re.compile(r"(?:`[^`]*`|[^`])+?\.(?=\s|$)", re.DOTALL)
_DEFAULT: Final = re.compile(r"Default(?:: |s to )(.+)\.")
_ONE_VALUE: Final = re.compile(r"`([^`]+)`")
_SINCE: Final = re.compile(r"Since (\d+\.\d+)\.")
_DEPRECATED: Final = re.compile(r"Deprecated(?:: (.*))?\.")
_RULE: Final = "Rule: "
_LIMIT: Final = re.compile(
    r"Range: \d.*"
    r"|(?:At least|At most|From|Exactly|More than|Less than|A multiple of) -?\d.*"
    r"|\d+ to \d+ (?:characters|items|entries)\."
    r"|(?:At least|Exactly) one of .* is required\."
    r"|One of .*"
    r"|Matches `.*`\."
    r"|Format \S+\."
    r"|Items must be unique\."
    r"|Each (?:item|value): .*"
    r"|No two items may have the same .*"
    r"|May be null\."
    r"|Immutable.*"
    r"|Only with .*|Not with .*"
    r"|Set by the server\."
    r"|(?:Alpha|Beta), gate `.*"
    r"|Rule: .*"
)
# Kubernetes' own texts say it in the middle.
_DEPRECATED_IN_TEXT: Final = re.compile(r"(?:^|[\s(])(?:Deprecated|DEPRECATED)\b:?\s*([^.\n]*)")


def split(text: str) -> tuple[str, Facts]:
    """Return the text without the facts at its end, and the facts."""
    head, tail = text[:-_MAX_CHARS], text[-_MAX_CHARS:]
    last = max(tail.rfind("\n\n"), 0)
    sentences = list(_SENTENCE.finditer(tail, last))
    if not sentences or tail[sentences[-1].end() :].strip():
        return text, _with_deprecation(Facts(), text)
    facts = _facts_at_the_end([_words(match[0]) for match in sentences])
    if not facts:
        return text, _with_deprecation(Facts(), text)
    kept = sentences[: len(sentences) - facts]
    end = kept[-1].end() if kept else sentences[0].start()
    prose = (head + tail[:end]).rstrip()
    return prose, _with_deprecation(_sorted(_joined(sentences[len(kept) :])), prose)


def _facts_at_the_end(sentences: list[str]) -> int:
    """How many of the last sentences are facts; what follows a rule is the rule's message."""
    count = between = 0
    for sentence in reversed(sentences):
        if _is_fact(sentence) and (not between or sentence.startswith(_RULE)):
            count, between = count + between + 1, 0
        else:
            between += 1
    return count


def _words(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def _is_fact(sentence: str) -> bool:
    patterns = (_DEFAULT, _SINCE, _DEPRECATED, _LIMIT)
    return any(pattern.fullmatch(sentence) for pattern in patterns)


def _joined(matches: list[re.Match[str]]) -> list[str]:
    """The facts; sentences that belong to a rule are joined to it."""
    facts: list[str] = []
    for match in matches:
        sentence = _words(match[0])
        if facts and not _is_fact(sentence):
            facts[-1] += f" {sentence}"
        else:
            facts.append(sentence)
    return facts


def _sorted(sentences: list[str]) -> Facts:
    default = since = deprecated = ""
    limits: list[str] = []
    for sentence in sentences:
        if found := _DEFAULT.fullmatch(sentence):
            value = _ONE_VALUE.fullmatch(found[1])
            default = value[1] if value else found[1]
        elif found := _SINCE.fullmatch(sentence):
            since = found[1]
        elif found := _DEPRECATED.fullmatch(sentence):
            deprecated = found[1] or "yes"
        else:
            limits.append(sentence)
    return Facts(default, since, deprecated, tuple(limits))


def _with_deprecation(facts: Facts, text: str) -> Facts:
    found = None if facts.deprecated else _DEPRECATED_IN_TEXT.search(text)
    if not found:
        return facts
    reason = " ".join(found[1].split()) or "yes"
    return Facts(facts.default, facts.since, reason, facts.limits)

"""English words of a kind: its plural, as Go's generators guess it, and its article."""

from __future__ import annotations

import re

_VOWELS = "aeiou"
# Letters whose names begin with a vowel, for words that are spelled: an HTTPRoute, a UDPRoute.
_SPELLED = re.compile(r"[AEFHILMNORSX](?![a-z])")
_SPELLED_AT_ALL = re.compile(r"[A-Z](?![a-z])")
# What sounds as `you` and `one` do, and an h that is not heard.
_VOWEL_SOUND = re.compile(
    r"(?!one(?![a-z])|once|eu|ewe|uni(?!n|m)|us(?!h)|ut(?!ter|most)|ubi|ura|uro)[aeiou]"
    r"|hour|honest|hono|heir",
)


def plural_of(kind: str) -> str:
    """The plural of a kind, in lower case as URLs have it.

    The rules are those of gengo's plural namer: `CronTab` is `crontabs`, `Ingress` is `ingresses`,
    `Policy` is `policies`, `Gateway` is `gateways`, `Knife` is `knives`, `Shelf` is `shelves`.
    """
    word = kind.lower()
    if len(word) < 2:  # noqa: PLR2004 - too short for an ending
        return word
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return f"{word[:-1]}ies"
    if word.endswith("fe"):
        return f"{word[:-2]}ves"
    if word.endswith("f"):
        return f"{word[:-1]}ves"
    return f"{word}s"


def with_article(kind: str) -> str:
    """A kind after its article, by sound: `a Widget`, `an Ingress`, `an HTTPRoute`, `a User`."""
    if _SPELLED_AT_ALL.match(kind):
        return f"{'an' if _SPELLED.match(kind) else 'a'} {kind}"
    first = re.match("[A-Z]?[a-z0-9]*", kind)
    word = first[0].lower() if first else ""
    return f"{'an' if _VOWEL_SOUND.match(word) else 'a'} {kind}"

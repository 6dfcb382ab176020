"""The plural of a kind, as Go's generators guess it where nobody says it."""

from __future__ import annotations

__all__ = ["plural_of"]

_VOWELS = "aeiou"


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

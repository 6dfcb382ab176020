"""What the texts in specs/descriptions say in fixed words, such as `Range: 1 to 65535.`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from clientgen._openapi.descriptions import Descriptions
from clientgen.generator.sources.descriptions import gather, parse

ROOT = Path(__file__).parents[2]
# The field, and the values that it may have; a field of the object begins with `spec.`.
Conditions: TypeAlias = list[tuple[str, list[str]]]

_FIXED = re.compile(
    r"(?<!\S)(?:Range:|At least|At most|Immutable|Only with|Not with)(?:[^.]|\.(?!\s|$))*\."
)
_UNIT = r"(?: (characters|bytes|items?|entry|entries))?"
_RANGE = re.compile(rf"Range: (-?\d+) to (\d+){_UNIT}(?: \(octal \d+\))?\.")
_AT_LEAST = re.compile(rf"At least (-?\d+){_UNIT}\.")
_AT_MOST = re.compile(rf"At most (\d+){_UNIT}\.")
_CONDITION = r"`([a-z][\w.-]*)`((?: `\w+`(?:(?:, | or )`[A-Z]\w*`)*)?)"
_CONDITIONS = rf"{_CONDITION}(?:(?:, | or ){_CONDITION})*"
_ONLY_WITH = re.compile(rf"Only with {_CONDITION}(?:, which needs it)?\.")
_NOT_WITH = re.compile(rf"Not with {_CONDITIONS}(?:, without which it is needed)?\.")


@dataclass(frozen=True, order=True)
class Fact:
    """One sentence in fixed words, about one field."""

    definition: str
    field: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"

    @property
    def place(self) -> str:
        """The field, such as `core.v1.PodSpec.hostname`."""
        short = re.sub(r"^io\.k8s\.(api\.|.*\.apis\.|.*\.pkg\.)", "", self.definition)
        return f"{short}.{self.field}"

    @property
    def bounds(self) -> tuple[int | None, int | None, str] | None:
        """The least, the most and the unit, which is empty for numbers."""
        if found := _RANGE.fullmatch(self.sentence):
            return int(found[1]), int(found[2]), _unit(found[3])
        if found := _AT_LEAST.fullmatch(self.sentence):
            return int(found[1]), None, _unit(found[2])
        if found := _AT_MOST.fullmatch(self.sentence):
            return None, int(found[1]), _unit(found[2])
        return None

    @property
    def is_immutable(self) -> bool:
        return self.sentence in ("Immutable.", "Immutable once set.")

    @property
    def needed(self) -> Conditions:
        """The field that has to be set too."""
        return self._conditions(_ONLY_WITH)

    @property
    def excluded(self) -> Conditions:
        """The fields that may not be set too."""
        return self._conditions(_NOT_WITH)

    def _conditions(self, sentence: re.Pattern[str]) -> Conditions:
        if not sentence.fullmatch(self.sentence):
            return []
        found = re.findall(_CONDITION, self.sentence)
        return [(name, re.findall(r"`(\w+)`", values)) for name, values in found]

    @property
    def is_fixed(self) -> bool:
        return bool(self.bounds or self.is_immutable or self.needed or self.excluded)


def _unit(word: str | None) -> str:
    return {"item": "items", "entry": "items", "entries": "items"}.get(word or "", word or "")


@cache
def texts() -> Descriptions:
    return parse(gather([ROOT / "specs/descriptions"], ROOT))


@cache
def facts() -> list[Fact]:
    return sorted(_facts(texts()))


def _facts(known: Descriptions) -> Iterator[Fact]:
    for definition, each in known.texts.items():
        for field, text in each.fields.items():
            for sentence in _FIXED.findall(text):
                yield Fact(definition, field, sentence)

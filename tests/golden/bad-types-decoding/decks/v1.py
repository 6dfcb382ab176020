"""Fields that are types of an API, and that msgspec cannot read, or not from a newer server."""

from __future__ import annotations

import typing
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity

from .parts import Limited, Part

Strict = typing.Literal["A", "B"]


class Outer(Model):
    """A class inside another does not see those beside it."""

    class Inner(Model):
        """A part."""

        name: str = ""

    class Beside(Model):
        """Beside it, and not around it."""

        inner: Inner | None = None

    inner: Inner | None = None


# +genclient
class Deck(Model):
    """A kind."""

    api_version: Literal["decks.example.com/v1"] = constant(
        "decks.example.com/v1", name="apiVersion"
    )
    kind: Literal["Deck"] = constant("Deck")
    metadata: ObjectMeta = auto(ObjectMeta)
    parts: list[Part] = field(default_factory=list)
    limited: Limited = auto(Limited)
    strict: Strict = "A"
    strictly: dict[str, list[typing.Literal[1, 2]]] = field(default_factory=dict)
    open_: Strict | str = "A"
    numbers: Literal[1, 2] = 1


class Card(Model):
    """Defaults that a field cannot have, and some that it can."""

    count: int = "three"
    weight: float = float("nan")
    part: Part = None
    forgotten: Part = auto
    other: Part = auto(Outer)
    since: Time = datetime(2020, 1, 1)
    drawn: Time = field(default_factory=lambda: datetime.now(UTC))
    size: Annotated[int, Meta(ge=1)] = 0
    shadowed: int = 0
    memory: Quantity = Quantity("1Gi")
    extra: Raw = Raw()
    made: Part | None = None
    dated: Time = datetime(2020, 1, 1, tzinfo=UTC)

    @property
    def shadowed(self) -> int:
        """Takes the place of the default."""
        return 1


class Listed(Model, array_like=True):
    """A list on the wire."""

    name: str = ""


class Private(Model):
    """Python gives its field another name."""

    __words: set[str] = field(default_factory=set)

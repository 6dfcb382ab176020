"""Fields that are types of an API, and that msgspec cannot read, or not from a newer server."""

from __future__ import annotations

import typing

from clientgen.runtime.meta_v1 import ObjectMeta
from clientgen.runtime.model import Literal, Model, auto, constant, field

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

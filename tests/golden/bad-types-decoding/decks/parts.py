"""What is not listed as types, but what kinds are made of."""

import datetime
from typing import Annotated, NewType

import msgspec

from clientgen.runtime.models import Model, field

Deck = NewType("Deck", int)


class Base(Model):
    """The base of what kinds are made of."""

    since: datetime.datetime | None = None


class Part(Base):
    """A part."""

    words: set[str] = field(default_factory=set)
    deck: Deck = Deck(1)


class Limited(Model):
    """Limits of other types."""

    text: Annotated[str, msgspec.Meta(ge=1)] = ""
    maybe: Annotated[str | None, msgspec.Meta(min_length=1)] = None
    items: list[Annotated[bool, msgspec.Meta(le=1)]] = field(default_factory=list)
    huge: Annotated[int, msgspec.Meta(le=2**63)] = 0


class Unused(Model):
    """Part of no kind, so nobody asks."""

    words: set[str] = field(default_factory=set)

"""What several modules share; not listed as types."""

from typing import Annotated, NewType

from msgspec import Meta

from clientgen.runtime.models import Literal, Model

Berth = NewType("Berth", str)
Depth = Annotated[int, Meta(ge=0, le=100)]


class Mooring(Model):
    """Where to lie."""

    berth: Berth = Berth("")
    depth: Depth = 10
    side: Literal[1, 2] = 1

"""Types of example.com/v1 with long descriptions."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, Model, field


class OvenSpec(Model):
    description: str = ""
    """What it is. How it is heated, for how long, and by whom: all that bakers ask for."""
    heat: list[dict[str, int]] = field(default_factory=list)
    """Degrees by level without any end of a sentence in the first forty characters"""
    short: str = ""
    """Exactly forty characters are left alone."""


# +genclient
class Oven(CustomResource, group="example.com", version="v1"):
    """An oven. It is hot. Do not touch the oven before it has cooled down!"""

    spec: OvenSpec

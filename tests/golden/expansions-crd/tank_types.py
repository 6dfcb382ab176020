"""Types of water.example.com/v1."""
# +groupName=water.example.com

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


class TankSpec(Model):
    """How much there is room for."""

    litres: int
    """At most this much."""


# +genclient
class Tank(Model):
    """What holds water."""

    api_version: Literal["water.example.com/v1"] = constant(
        "water.example.com/v1", name="apiVersion"
    )
    kind: Literal["Tank"] = constant("Tank")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: TankSpec

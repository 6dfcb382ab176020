"""A kind whose classes are inside of another one."""
# +groupName=house.example.com
# +versionName=v1

from __future__ import annotations

from clientgen.runtime.models import Literal, Model, ObjectMeta, auto, constant, field


class LampSpec(Model):
    """How a lamp should be."""

    class Bulb(Model):
        """What gives the light."""

        hours: int = 0

    bulb: Bulb | None = None
    bulbs: list[Bulb] = field(default_factory=list)


# +genclient
class Lamp(Model):
    """A lamp."""

    api_version: Literal["house.example.com/v1"] = constant(
        "house.example.com/v1", name="apiVersion"
    )
    kind: Literal["Lamp"] = constant("Lamp")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LampSpec

"""Types of house.example.com/v1."""
# +groupName=house.example.com
# +versionName=v1

from __future__ import annotations

from typing import Annotated

from kubeapi.core.v1 import PodTemplateSpec
from msgspec import Meta

from clientgen.runtime.models import IntOrString, Literal, Model, ObjectMeta, Quantity, Raw, Time
from clientgen.runtime.models import UnsetList, auto, constant, field

Colour = Literal["Red", "White"]


class Bulb(Model):
    """What gives the light."""

    kind: str = "LED"
    hours: int | None = None


class LampSpec(Model):
    """How a lamp should be."""

    colour: Colour | str = "White"
    """The colour of the light."""
    size: int = field(default=20, name="sizeCM")
    from_: str = field(default="", name="from")
    watts: Quantity | None = None
    socket: IntOrString | None = None
    level: Annotated[int, Meta(ge=0, le=10)] | None = 5
    bulbs: list[Bulb] = field(default_factory=UnsetList)
    spares: dict[str, Bulb] = field(default_factory=dict)
    extra: Raw = Raw()
    template: PodTemplateSpec | None = None


class LampStatus(Model):
    """How a lamp is."""

    lit_at: Annotated[Time | None, Meta(title="lit")] = None
    left: float = 0.0


# +genclient
# +kubebuilder:subresource:status
class Lamp(Model):
    """A lamp."""

    api_version: Literal["house.example.com/v1"] = constant(
        "house.example.com/v1", name="apiVersion"
    )
    kind: Literal["Lamp"] = constant("Lamp")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LampSpec
    status: LampStatus = auto(LampStatus)

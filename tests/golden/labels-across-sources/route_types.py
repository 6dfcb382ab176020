"""Types of networking.own.example.com/v1."""
# +groupName=networking.own.example.com

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


# +genclient
class Route(Model):
    """A way."""

    api_version: Literal["networking.own.example.com/v1"] = constant(
        "networking.own.example.com/v1", name="apiVersion"
    )
    kind: Literal["Route"] = constant("Route")
    metadata: ObjectMeta = auto(ObjectMeta)
    length: int | None = None

"""What all versions share."""

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto

Phase = Literal["Idle", "Driving"]


class Placed(Model):
    """Whatever has a place."""

    latitude: float = 0.0
    longitude: float = 0.0


class Named(Model):
    """Every kind starts with this."""

    metadata: ObjectMeta = auto(ObjectMeta)

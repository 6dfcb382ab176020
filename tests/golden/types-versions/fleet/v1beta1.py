"""Types of fleet.example.com/v1beta1."""
# +groupName=fleet.example.com
# +versionName=v1beta1

from __future__ import annotations

from clientgen.runtime.models import Literal, Model, auto, constant

from .common import Named
from .v1 import TruckStatus


class TruckSpec(Model):
    """Where it is to go."""

    destination: str


# +genclient
class Truck(Named):
    """A truck, as it was."""

    api_version: Literal["fleet.example.com/v1beta1"] = constant(
        "fleet.example.com/v1beta1", name="apiVersion"
    )
    kind: Literal["Truck"] = constant("Truck")
    spec: TruckSpec
    status: TruckStatus = auto(TruckStatus)

"""Types of fleet.example.com/v1."""

from __future__ import annotations

from clientgen.runtime.models import Literal, auto, constant, field

from .common import Named, Phase, Placed


class TruckSpec(Placed):
    """Where it is to go, and with what."""

    load: list[str] = field(default_factory=list)


class TruckStatus(Placed):
    """Where it is."""

    phase: Phase | str = ""


# +genclient
# +kubebuilder:subresource:status
# +kubebuilder:storageversion
class Truck(Named):
    """A truck."""

    api_version: Literal["fleet.example.com/v1"] = constant(
        "fleet.example.com/v1", name="apiVersion"
    )
    kind: Literal["Truck"] = constant("Truck")
    spec: TruckSpec
    status: TruckStatus = auto(TruckStatus)

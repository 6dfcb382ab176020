"""Types of checked.example.com/v1, whose rules `clientgen.testing.check` knows."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Literal, Model, auto, field


class Stop(Model):
    """A place."""

    name: str
    minutes: Annotated[int, Meta(ge=0)] = 5


# +kubebuilder:validation:XValidation:rule="self.most >= self.least",message="most must not be less than least"
# +kubebuilder:validation:XValidation:rule="!has(self.owner) || self.owner != 'nobody'",messageExpression="'not ' + self.owner",fieldPath=".owner",reason=FieldValueForbidden
class LineSpec(Model):
    """What a line is."""

    # +kubebuilder:validation:Pattern=`^[A-Z]\d+$`
    # +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the number stays"
    number: str
    least: Annotated[int, Meta(ge=1)] = 1
    most: Annotated[int, Meta(le=100)] = 10
    mode: Literal["bus", "tram"] = "bus"
    owner: str | None = None
    # +listType=map
    # +listMapKey=name
    # +kubebuilder:validation:MaxItems=3
    stops: list[Stop] = field(default_factory=list)


class LineStatus(Model):
    """How it goes."""

    # +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="it cannot be undone"
    runs: Annotated[int, Meta(ge=0)] = 0


# +genclient
# +kubebuilder:subresource:status
class Line(CustomResource, group="checked.example.com", version="v1"):
    """A line of a network."""

    spec: LineSpec
    status: LineStatus = auto(LineStatus)

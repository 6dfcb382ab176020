"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class Part(Model):
    name: str = ""


# +kubebuilder:validation:XValidation:rule="self.lo <= self.high"
class ThingSpec(Model):
    # +kubebuilder:validation:Pattern=`(`
    a: str = ""
    # +listType=set
    b: list[Part] = field(default_factory=list)
    low: int = 1
    high: int = 2
    # +kubebuilder:validation:XValidation:rule="self +",message=""
    c: int = 0


# +genclient
# +kubebuilder:resource:shortName=Th
class Thing(Model):
    """A thing."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

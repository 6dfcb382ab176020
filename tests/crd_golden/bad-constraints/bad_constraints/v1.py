"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class Part(Model):
    name: str = ""


class ThingSpec(Model):
    # +kubebuilder:validation:MinLength=1
    a: int = 0
    # +kubebuilder:validation:Minimum=5
    # +kubebuilder:validation:Maximum=1
    b: int = 0
    # +listType=map
    # +listMapKey=name
    c: list[Part] = field(default_factory=list)
    # +kubebuilder:default=5
    d: int = 1
    # +kubebuilder:validation:Enum=1;2
    e: str = ""
    f: Annotated[str, Meta(max_length=1, extra_json_schema={"minimun": 1})] = ""
    # +kubebuilder:validation:items:Minimum=1
    g: str = ""
    # +required
    # +optional
    h: str = ""
    # +kubebuilder:validation:ExclusiveMinimum=true
    i: float = 0.0


# +genclient
#
class Thing(Model):
    """A thing."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


# +kubebuilder:validation:Minimun=1
# +optional
class ThingSpec(Model):
    # +kubebuilder:validation:Maximum=ten
    # +kubebuilder:resource:path=things
    # +nulable
    a: int = 0
    # +kubebuilder:validation:Pattern=^a{1,2}$
    b: str = ""
    # +listType=bag
    # +kubebuilder:validation:UniqueItems=true
    c: list[str] = field(default_factory=list)
    # +kubebuilder:default={a: 1
    # +optional
    # +optional
    d: dict[str, int] = field(default_factory=dict)


# +genclient
# +kubebuilder:printcolumn:name=A,type=text,JSONPath=.spec.a
# +kubebuilder:printcolumn:nme=A
# +kubebuilder:subresource:scale:specpath=.spec.a
class Thing(Model):
    """A thing."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class ThingSpec(Model):
    size: int = 1
    name: str = ""


# +genclient
# +kubebuilder:subresource:scale:specpath=.spec.name,statuspath=.status.size
# +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=.spec.sise
# +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
# +kubebuilder:selectablefield:JSONPath=.spec.nme
# +kubebuilder:validation:AtLeastOneOf=spec;stats
class Thing(Model):
    """A thing."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class Node(Model):
    name: str = ""
    children: list["Node"] = field(default_factory=list)


class ThingSpec(Model):
    root: Node = auto(Node)


# +genclient
#
class Thing(Model):
    """A thing."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

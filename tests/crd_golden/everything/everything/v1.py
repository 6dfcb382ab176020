"""Types of example.com/v1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class Part(Model):
    """A part of a thing.

    Parts are told apart by their names: two of one name are one part, and what one manager says of
    a part leaves alone what another says.

    - They have a size.
    - They may have a note.
    """

    name: str
    size: Annotated[int, Meta(gt=0)] = 1
    note: str | None = None
    """For people. Anything goes: "quotes", 'apostrophes', a colon: here, a # sign, and more words than one line holds."""


# +mapType=atomic
# +kubebuilder:validation:MinProperties=1
# +kubebuilder:validation:AtMostOneOf=literal;reference
class Source(Model):
    literal: str | None = None
    reference: str | None = None


# +kubebuilder:validation:XValidation:rule="self.low <= self.high",message="low is above high",fieldPath=".low",reason=FieldValueInvalid
class ThingSpec(Model):
    text: str = "yes"
    number: float = 0.5
    whole: int = 3
    flag: bool = True
    blob: bytes = b"\x00\xff"
    time: Time | None = None
    micro: MicroTime | None = None
    memory: Quantity = Quantity("1.5Gi")
    port: IntOrString = "http"
    anything: Raw = NO_RAW
    labels: dict[str, str] = field(default_factory=lambda: {"a": "1", "b": "no"})
    matrix: list[list[Annotated[int, Meta(ge=0, lt=256)]]] = field(default_factory=list)
    # +listType=map
    # +listMapKey=name
    # +kubebuilder:validation:MaxItems=8
    parts: list[Part] = field(default_factory=list)
    by_name: dict[str, Part] = field(default_factory=dict)
    source: Source = auto(Source)
    """Where it comes from."""
    selector: LabelSelector | None = None
    low: int = 1
    # +kubebuilder:validation:Maximum=100
    # +kubebuilder:validation:ExclusiveMaximum=true
    high: int = 10
    choice: Literal["a", "b", "yes", "1"] = "1"
    open_choice: Literal["a", "b"] | str = "a"
    # +nullable
    nothing: str | None = None
    # +kubebuilder:validation:Format=hostname
    # +kubebuilder:example=a.example.com
    # +kubebuilder:title=A host
    # +immutable
    host: str | None = None
    # +kubebuilder:validation:EmbeddedResource
    # +kubebuilder:pruning:PreserveUnknownFields
    embedded: Raw = NO_RAW
    # +kubebuilder:validation:Schemaless
    # +kubebuilder:pruning:PreserveUnknownFields
    legacy: dict[str, str] = field(default_factory=dict)
    # +kubebuilder:default={name: first}
    first: Part | None = None
    continue_: str = field(default="", name="continue")
    # +kubebuilder:externalDocs:url="https://example.com/docs",description="More"
    documented: Annotated[str, Meta(max_length=5, description="By Meta.")] = ""


# +genclient
# +resourceName=thingies
# +genclient:nonNamespaced
# +kubebuilder:resource:singular=thingy,shortName=th;tt,categories={all,things}
# +kubebuilder:selectablefield:JSONPath=.spec.text
# +kubebuilder:metadata:annotations="example.com/note=yes";"example.com/other=a=b",labels="app=things"
class Thing(Model):
    """Everything."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Thing"] = constant("Thing")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ThingSpec = auto(ThingSpec)

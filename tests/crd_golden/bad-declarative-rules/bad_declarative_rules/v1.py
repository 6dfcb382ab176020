"""Types of example.com/v1 with tags that cannot be."""

from __future__ import annotations

from clientgen.runtime.models import NO_RAW, CustomResource, Literal, Model, Raw, Time, field


class Part(Model):
    name: str
    size: int = 0


# +k8s:subfield(nam)=+k8s:maxLength=3
class ThingSpec(Model):
    # +k8s:eachVal=+k8s:required
    # +k8s:eachVal=+k8s:minimum=3
    # +k8s:eachKey=+k8s:format=k8s-label-key
    # +k8s:item(name: "a")=+k8s:immutable
    # +k8s:update=NoAddItem
    # +k8s:update=NoModify
    # +k8s:unique=map
    a: list[str] = field(default_factory=list)
    # +k8s:eachVal=+k8s:maxLength=3
    # +k8s:format=k8s-ip
    # +k8s:neq=5
    # +k8s:enum
    # +k8s:monotonic
    # +k8s:update=NoRemoveItem
    b: str = ""
    # +k8s:listType=map
    # +k8s:listMapKey=name
    # +k8s:unique=set
    # +k8s:item(name: 5)=+k8s:immutable
    # +k8s:item(nam: "a")=+k8s:immutable
    # +k8s:item(name: "a")=+k8s:subfield(siz)=+k8s:minimum=1
    # +k8s:item(name: "a")=+k8s:update=NoSet
    # +k8s:item(name: "a")=+k8s:subfield(size)=+k8s:monotonic
    # +k8s:item(name: "b")=+k8s:unionMember
    c: list[Part] = field(default_factory=list)
    # +k8s:unionDiscriminator
    type: Literal["A", "B"] = "A"
    # +k8s:unionMember
    # +k8s:dependentRequired(dd)
    # +k8s:dependentRequired(d)
    d: str | None = None
    # +k8s:unionMember(memberName: "A")
    e: str | None = None
    # +k8s:unionDiscriminator
    # +k8s:unionDiscriminator(union: "empty")
    f: str | None = None
    # +k8s:ifMode("A")=+k8s:required
    # +k8s:beta=+k8s:optional
    # +k8s:subfield(x)=+k8s:maximum=3
    # +k8s:zeroOrOneOfMember
    g: int | None = None
    # +k8s:immutable
    # +k8s:forbidden
    h: Raw = NO_RAW
    # +k8s:format=k8s-uuid
    i: Time | None = None


# +genclient
class Thing(CustomResource, group="example.com", version="v1"):
    """A thing."""

    spec: ThingSpec

"""Types of example.com/v1 with tags that cannot be."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, Literal, Model, field


class Part(Model):
    name: str
    size: int = 0


# +k8s:required
# +k8s:customValidation
class ThingSpec(Model):
    # +k8s:eachvalue=+k8s:maxLength=3
    # +k8s:eachVal=+k8s:maxLenght=3
    # +k8s:eachVal
    # +k8s:customUnique
    a: list[str] = field(default_factory=list)
    # +k8s:maxBytes=many
    # +k8s:update=Never
    # +k8s:immutable=true
    b: str = ""
    # +k8s:item(name: "a"=+k8s:immutable
    # +k8s:item=+k8s:immutable
    c: list[Part] = field(default_factory=list)
    type: Literal["A", "B"] = "A"
    # +k8s:dependentRequired
    d: str | None = None
    # +k8s:unionMember(memberName: "A", name: "x")
    # +k8s:immutable
    # +k8s:immutable
    e: str | None = None
    # +k8s:ifEnabled(Gate)=+k8s:required
    # +k8s:alpha(since: "1.36")=+k8s:required
    # +k8s:validateFalse="x"
    f: str | None = None
    # +k8s:ifMode=+k8s:required
    g: int | None = None


# +genclient
class Thing(CustomResource, group="example.com", version="v1"):
    """A thing."""

    spec: ThingSpec

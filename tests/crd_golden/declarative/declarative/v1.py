"""Types of example.com/v1: the tags of declarative validation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Literal, Model, field


class Condition(Model):
    """One of several, by its type."""

    type: str
    size: Annotated[int, Meta(le=100)] = 0
    note: str | None = None


# +k8s:subfield(left)=+k8s:immutable
class Sides(Model):
    left: str | None = None
    right: str | None = None


class ThingSpec(Model):
    # +k8s:format=k8s-short-name
    # +k8s:neq="default"
    name: str = ""
    # +k8s:format="k8s-long-name"
    # +k8s:maxLength=300
    domain: str | None = None
    # +k8s:format=k8s-long-name-caseless
    caseless: str | None = None
    # +k8s:format=k8s-label-key
    label_key: str | None = None
    # +k8s:format=k8s-label-value
    label_value: str | None = None
    # +k8s:format=k8s-prefixed-label-key
    prefixed_key: str | None = None
    # +k8s:format=k8s-path-segment-name
    segment: str | None = None
    # +k8s:format=k8s-extended-resource-name
    extended: str | None = None
    # +k8s:format=k8s-resource-pool-name
    pool: str | None = None
    # +k8s:format=k8s-resource-fully-qualified-name
    qualified: str | None = None
    # +k8s:format=k8s-uuid
    uuid: str | None = None
    # +k8s:maxBytes=4
    bytes: str | None = None
    # +k8s:enum
    policy: Literal["Allow", "Forbid"] | None = None

    # +k8s:listType=set
    # +k8s:eachVal=+k8s:maxLength=3
    # +k8s:update=NoAddItem
    # +k8s:update=NoRemoveItem
    names: list[str] = field(default_factory=list)
    # +k8s:eachKey=+k8s:format=k8s-label-key
    # +k8s:eachVal=+k8s:minimum=3
    # +k8s:update=NoAddItem
    counts: dict[str, int] = field(default_factory=dict)
    # +k8s:listType=atomic
    # +k8s:unique=set
    unique: list[str] = field(default_factory=list)
    # +k8s:unique=map
    # +k8s:listMapKey=type
    unique_keys: list[Condition] = field(default_factory=list)
    # +k8s:listType=map
    # +k8s:listMapKey=type
    # +k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember
    # +k8s:item(type: "Denied")=+k8s:zeroOrOneOfMember
    # +k8s:item(type: "Approved")=+k8s:subfield(size)=+k8s:maximum=5
    # +k8s:item(type: "Denied")=+k8s:subfield(note)=+k8s:required
    # +k8s:item(type: "Denied")=+k8s:immutable
    # +k8s:eachVal=+k8s:subfield(note)=+k8s:maxBytes=9
    conditions: list[Condition] = field(default_factory=list)

    # +k8s:unionDiscriminator
    type: Literal["Http", "Tcp"] | None = None
    # +k8s:unionMember
    http: str | None = None
    # +k8s:unionMember(memberName: "Tcp")
    stream: Sides | None = None
    # +k8s:unionMember(union: "source")
    url: str | None = None
    # +k8s:unionMember(union: "source")
    config_map: str | None = None
    # +k8s:zeroOrOneOfMember
    first: int | None = None
    # +k8s:zeroOrOneOfMember
    second: int | None = None

    # +k8s:modeDiscriminator
    mode: str = ""
    # +k8s:ifMode("Big")=+k8s:required
    # +k8s:ifMode("Big")=+k8s:minimum=10
    # +k8s:ifMode(mode: "Small")=+k8s:optional
    # +k8s:ifMode("None")=+k8s:forbidden
    size: int | None = None

    # +k8s:dependentRequired(key)
    certificate: str | None = None
    # +k8s:dependentForbidden(insecure)
    key: str | None = None
    insecure: bool | None = None

    # +k8s:immutable
    fixed: str | None = None
    # +k8s:immutable
    required: str
    # +k8s:monotonic
    generation: int | None = None
    # +k8s:update=NoSet
    never_later: str | None = None
    # +k8s:update=NoModify
    # +k8s:update=NoUnset
    once: int | None = None
    # +k8s:beta(since: "1.36")=+k8s:subfield(size)=+k8s:maximum=5
    # +k8s:subfield(note)=+k8s:forbidden
    part: Condition | None = None
    # +k8s:opaqueType
    opaque: Condition | None = None


# +genclient
class Thing(CustomResource, group="example.com", version="v1"):
    """A thing."""

    spec: ThingSpec

"""Types of example.com/v1 with unions that cannot be."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, Literal, Model, constant


class A(Model):
    type: Literal["A"] = constant("A")
    size: int
    name: str = "a"


class C(Model):
    type: Literal["C"] = constant("C")
    size: str


class AlsoA(Model):
    type: Literal["A"] = constant("A")


class Left(Model):
    name: str


class Right(Model):
    name: str
    size: int = 0


class Untagged(Model):
    type: Literal["Untagged"]


class ThingSpec(Model):
    same_tag: A | AlsoA
    ambiguous: Left | Right | None = None
    half_tagged: C | Untagged | None = None
    mixed: C | str | None = None


# +genclient
class Thing(CustomResource, group="example.com", version="v1"):
    spec: ThingSpec

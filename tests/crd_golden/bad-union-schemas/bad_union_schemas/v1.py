"""Types of example.com/v1 with unions that cannot be."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, Literal, Model, constant


class A(Model):
    type: Literal["A"] = constant("A")
    size: int


class B(Model):
    type: Literal["B"] = constant("B")
    size: str


# +kubebuilder:validation:MaxProperties=3
class Counted(Model):
    type: Literal["Counted"] = constant("Counted")


class C(Model):
    type: Literal["C"] = constant("C")


class D(Model):
    type: Literal["D"] = constant("D")
    name: str = "d"


class ThingSpec(Model):
    a: A | B
    c: C | D
    d: Counted | C


# +genclient
class Thing(CustomResource, group="example.com", version="v1"):
    spec: ThingSpec

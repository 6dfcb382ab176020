"""Types that hold themselves."""

from __future__ import annotations

from kubeapi.apiextensions.v1 import JSONSchemaProps

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, Raw, auto, constant, field


class Node(Model):
    """Holds itself."""

    children: list[Node] = field(default_factory=list)


class Left(Model):
    """Holds the other, and nothing of it is served by itself."""

    right: Right | None = None


class Right(Model):
    """Holds the first again."""

    by_name: dict[str, list[Left]] = field(default_factory=dict)


class Untouched(Model):
    """A circle no kind leads to is the author's own business."""

    again: Untouched | None = None


class Described(Model):
    """The circle is not followed: the author says what is in the schema."""

    # +kubebuilder:validation:Schemaless
    # +kubebuilder:pruning:PreserveUnknownFields
    again: list[Described] = field(default_factory=list)


# +genclient
class Tree(Model):
    """Leads into both."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Tree"] = constant("Tree")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: Node = auto(Node)
    status: Right = auto(Right)
    described: Described | None = None
    free: Raw = Raw()


# +genclient
class Forest(Model):
    """Leads into a circle of its own, one that was told before, and one of Kubernetes."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Forest"] = constant("Forest")
    metadata: ObjectMeta = auto(ObjectMeta)
    trees: list[Tree] = field(default_factory=list)
    neighbour: Forest | None = None
    schema: JSONSchemaProps | None = None

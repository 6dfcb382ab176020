"""Kinds that manifests of the same run describe in another way."""

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


# +genclient
class Quay(Model):
    """Namespaced here, and of the whole cluster in the manifest."""

    api_version: Literal["ports.example.com/v1"] = constant(
        "ports.example.com/v1", name="apiVersion"
    )
    kind: Literal["Quay"] = constant("Quay")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
# +resourceName=boxes
class Crate(Model):
    """Boxes here, and crates in the manifest."""

    api_version: Literal["ports.example.com/v1"] = constant(
        "ports.example.com/v1", name="apiVersion"
    )
    kind: Literal["Crate"] = constant("Crate")
    metadata: ObjectMeta = auto(ObjectMeta)


# +genclient
class Buoy(Model):
    """The same in both."""

    api_version: Literal["ports.example.com/v1"] = constant(
        "ports.example.com/v1", name="apiVersion"
    )
    kind: Literal["Buoy"] = constant("Buoy")
    metadata: ObjectMeta = auto(ObjectMeta)

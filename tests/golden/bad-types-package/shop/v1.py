"""A kind in a package of the name that is to be generated."""

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


# +genclient
class Quay(Model):
    """A kind."""

    api_version: Literal["shop.example.com/v1"] = constant(
        "shop.example.com/v1", name="apiVersion"
    )
    kind: Literal["Quay"] = constant("Quay")
    metadata: ObjectMeta = auto(ObjectMeta)

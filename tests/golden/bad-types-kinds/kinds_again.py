"""The same kind again."""

from __future__ import annotations

from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


# +genclient
class Twice(Model):
    """Is in the other module too."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Twice"] = constant("Twice")
    metadata: ObjectMeta = auto(ObjectMeta)


class Outer(Model):
    """No kind, but there twice as well."""

"""Markers where none can be, and such as there are none of."""
# +groupName=bad.example.com
# +genclient
# +versionNam=v1

# +kubebuilder:storageversion
from __future__ import annotations

from enum import Enum

# +genclient
from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant


# +genclient
def function() -> None: ...


# +kubebuilder:validation:Minimum=1
LIMIT = 1


# +genclient
class Plain:
    name: str


# +kubebuilder:validation:Enum=A;B
class Color(Enum):
    A = "A"


# +genclent
# +genclient:nonNamespased
# +genclient:skipVerbs=destroy
# +kubebuilder:subresource:statsu
# +kubebuilder:validation:XValidation:message="no rule"
class Kind(Model):
    """One."""

    api_version: Literal["bad.example.com/v1"] = constant("bad.example.com/v1", name="apiVersion")
    kind: Literal["Kind"] = constant("Kind")
    metadata: ObjectMeta = auto(ObjectMeta)
    # +kubebuilder:validation:Minimun=1
    size: int = 0
    # +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=.size
    other: int = 0
    behind: int = 0  # +optional

    # +optional
    def method(self) -> None: ...

    # +genclient
    more: int = 0


# +genclient


# +groupName=too.late.example.com


class Other(Model):
    """+1 for this one; # + lists are no markers."""

    # +1 for this
    # + one more
    name: str = ""


# +groupName=far.too.late.example.com

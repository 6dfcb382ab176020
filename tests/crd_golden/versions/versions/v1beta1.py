"""Types of example.com/v1beta1."""

# +groupName=example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import LabelSelector, ObjectMeta
from clientgen.runtime.models import NO_RAW, IntOrString, Literal, MicroTime, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity


class WidgetSpec(Model):
    size: int = 1


# +genclient
# +kubebuilder:deprecatedversion:warning="example.com/v1beta1 Widget goes away; use v1"
# +kubebuilder:unservedversion
class Widget(Model):
    """A widget."""

    api_version: Literal["example.com/v1beta1"] = constant("example.com/v1beta1", name="apiVersion")
    kind: Literal["Widget"] = constant("Widget")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: WidgetSpec = auto(WidgetSpec)

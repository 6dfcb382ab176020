"""Types of web.example.com/v1."""

from typing import Annotated

from kubeapi.core.v1 import EnvVar
from msgspec import Meta

from clientgen.runtime.models import Condition, CustomResource, Model, auto, field


class WebAppSpec(Model):
    """What to run."""

    image: Annotated[str, Meta(min_length=1)]
    replicas: Annotated[int, Meta(ge=0, le=100)] = 1
    port: Annotated[int, Meta(ge=1, le=65535)] = 8080
    """The port that the containers listen on; the Service has port 80."""
    env: list[EnvVar] = field(default_factory=list)


class WebAppStatus(Model):
    """What has become of it."""

    ready_replicas: int = 0
    observed_generation: int = 0
    """The version of the spec that this is about."""
    # +listType=map
    # +listMapKey=type
    conditions: list[Condition] = field(default_factory=list)
    """Ready: all replicas serve. Progressing: a rollout is under way."""


# +genclient
# +resourceName=webapps
# +kubebuilder:subresource:status
# +kubebuilder:printcolumn:name=Image,type=string,JSONPath=.spec.image
# +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas
# +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
class WebApp(CustomResource, group="web.example.com", version="v1"):
    """A web server with a Service in front of it."""

    spec: WebAppSpec
    status: WebAppStatus = auto(WebAppStatus)

"""Types of stable.example.com/v1."""

from typing import Annotated

from kubeapi.core.v1 import EnvVar, ResourceRequirements
from msgspec import Meta

from clientgen.runtime.models import (
    Condition,
    CustomResource,
    Literal,
    Model,
    Time,
    auto,
    field,
)


class CronTabSpec(Model):
    """What to run and when."""

    # +kubebuilder:validation:Pattern=`^(\S+\s+){4}\S+$`
    cron_spec: str
    """A cron expression: minute, hour, day, month and day of the week."""
    image: Annotated[str, Meta(min_length=1)]
    command: list[str] = field(default_factory=list)
    """What the image says, if it is empty."""
    env: list[EnvVar] = field(default_factory=list)
    resources: ResourceRequirements = auto(ResourceRequirements)
    overlap: Literal["Allow", "Forbid", "Replace"] = "Forbid"
    """What becomes of a run that would begin before the last one has ended."""
    history: Annotated[int, Meta(ge=0, le=10)] = 3
    """How many runs to keep."""
    paused: bool = False


class CronTabStatus(Model):
    """What has become of it."""

    active: int = 0
    """How many are running."""
    last_run: Time | None = None
    observed_generation: int = 0
    """The version of the spec that this is about."""
    # +listType=map
    # +listMapKey=type
    conditions: list[Condition] = field(default_factory=list)
    """Scheduled: whether there is a CronJob that runs it."""


# +genclient
# +resourceName=crontabs
# +kubebuilder:resource:shortName=ct,categories=all
# +kubebuilder:subresource:status
# +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
# +kubebuilder:printcolumn:name=Paused,type=boolean,JSONPath=.spec.paused
# +kubebuilder:printcolumn:name=Active,type=integer,JSONPath=.status.active
# +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
class CronTab(CustomResource, group="stable.example.com", version="v1"):
    """An image that is run on a schedule."""

    spec: CronTabSpec
    status: CronTabStatus = auto(CronTabStatus)

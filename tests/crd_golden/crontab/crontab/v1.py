"""Types of stable.example.com/v1."""

# +groupName=stable.example.com

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import Condition, ObjectMeta
from clientgen.runtime.models import Literal, Model, Time, auto, constant, field


class CronTabSpec(Model):
    """What to run and when."""

    # +kubebuilder:validation:Pattern=`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`
    cron_spec: str
    """A cron expression with five fields: minute, hour, day of the month, month and day of the week, with a
    star for every value of a field."""
    image: str
    """What to run."""
    replicas: Annotated[int, Meta(ge=0, le=10)] = 1
    """How many at once."""
    concurrency: Literal["Allow", "Forbid", "Replace"] = "Allow"
    """What to do when the last run is not over."""
    # +listType=set
    arguments: list[Annotated[str, Meta(min_length=1)]] = field(default_factory=list)


class CronTabStatus(Model):
    """What was seen."""

    replicas: int = 0
    selector: str = ""
    last_run: Time | None = None
    # +listType=map
    # +listMapKey=type
    conditions: list[Condition] = field(default_factory=list)
    """What holds of the object."""


# +genclient
# +kubebuilder:resource:shortName=ct,categories=all
# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
# +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
# +kubebuilder:printcolumn:name="Last run",type=date,JSONPath=.status.lastRun,priority=1
# +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
class CronTab(Model):
    """A job that runs on a schedule."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["CronTab"] = constant("CronTab")
    metadata: ObjectMeta = auto(ObjectMeta)
    # +required
    spec: CronTabSpec
    status: CronTabStatus = auto(CronTabStatus)

"""Types of stable.example.com/v1."""
# +groupName=stable.example.com
# +versionName=v1

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import Condition, LabelSelector, ModelList, ObjectMeta
from clientgen.runtime.models import IntOrString, Literal, Model, Raw, Time, auto, constant, field
from clientgen.runtime.models import Quantity

Policy = Literal["Allow", "Forbid", "Replace"]


class CronTabSpec(Model):
    """What to run and when."""

    # +kubebuilder:validation:Pattern=`^\S+( \S+){4}$`
    cron_spec: str
    """A cron expression with five fields."""
    image: str = ""
    replicas: Annotated[int, Meta(ge=0, le=10)] = 1
    policy: Policy | str = "Allow"
    port: IntOrString | None = None
    memory: Quantity | None = None
    selector: LabelSelector | None = None
    env: dict[str, str] = field(default_factory=dict)
    # +listType=map
    # +listMapKey=name
    steps: list[Step] = field(default_factory=list)
    extra: Raw = Raw()


class Step(Model):
    """One thing to run."""

    name: str
    from_: str = field(default="", name="from")


class CronTabStatus(Model):
    """How it went."""

    replicas: int = 0
    last_run: Time | None = None
    conditions: list[Condition] = field(default_factory=list)


# +genclient
# +resourceName=crontabs

# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
# +kubebuilder:printcolumn:name=Spec,type=string,JSONPath=.spec.cronSpec
class CronTab(Model):
    """A job that runs on a schedule."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["CronTab"] = constant("CronTab")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: CronTabSpec
    status: CronTabStatus = auto(CronTabStatus)


# The plural is guessed, as Go's generators do, and the list class is the user's own.
# +genclient
# +genclient:nonNamespaced
# +kubebuilder:resource:scope=Cluster,shortName=rp
class RunPolicy(Model):
    """What may run in the cluster."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["RunPolicy"] = constant("RunPolicy")
    metadata: ObjectMeta = auto(ObjectMeta)
    allowed: list[str] = field(default_factory=list)


class RunPolicyList(ModelList[RunPolicy]):
    """Many of them."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["RunPolicyList"] = constant("RunPolicyList")

    def allowed(self) -> set[str]:
        """All that is allowed."""
        return {name for policy in self.items for name in policy.allowed}


# A kind that asks for no client has none.
# +kubebuilder:object:root=true
class RunReport(Model):
    """What ran."""

    api_version: Literal["stable.example.com/v1"] = constant(
        "stable.example.com/v1", name="apiVersion"
    )
    kind: Literal["RunReport"] = constant("RunReport")
    metadata: ObjectMeta = auto(ObjectMeta)
    policies: list[RunPolicy] = field(default_factory=list)

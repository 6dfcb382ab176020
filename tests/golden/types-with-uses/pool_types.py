"""Types that are made of Kubernetes' own."""

from __future__ import annotations

from kubeapi.core.v1 import EnvVar, PodTemplateSpec, ResourceRequirements

from clientgen.runtime.models import Condition, LabelSelector, ObjectMeta
from clientgen.runtime.models import Literal, Model, auto, constant, field


class PoolSpec(Model):
    """Which pods to keep."""

    selector: LabelSelector
    template: PodTemplateSpec
    resources: ResourceRequirements | None = None
    env: list[EnvVar] = field(default_factory=list)


class PoolStatus(Model):
    """How many there are."""

    ready: int = 0
    conditions: list[Condition] = field(default_factory=list)


# +genclient
# +genclient:method=Provision,verb=create,input=Pool,result=k8s.io/api/core/v1.Pod
# +kubebuilder:subresource:status
class Pool(Model):
    """A pool of pods."""

    api_version: Literal["pools.example.com/v1alpha1"] = constant(
        "pools.example.com/v1alpha1", name="apiVersion"
    )
    kind: Literal["Pool"] = constant("Pool")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PoolSpec
    status: PoolStatus = auto(PoolStatus)

"""Numbers that Kubernetes leaves out when they are zero, and that mean zero then.

Go encodes them so where a field is `omitempty` and no pointer, which no OpenAPI document tells.
Fields whose absence means something else are not here: a `hostPort` that is left out is none, and a
`timeoutSeconds` has a default. (k8s.io/api, the types.go of each group version.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.generator.ir import ModelId

_OBSERVED: Final = "observedGeneration"
_DAEMONS: Final = {_OBSERVED, "updatedNumberScheduled", "numberAvailable", "numberUnavailable"}
_REPLICAS: Final = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas", _OBSERVED}
_DEPLOYED: Final = {
    _OBSERVED,
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
}
_STATEFUL: Final = {_OBSERVED, "readyReplicas", "currentReplicas", "updatedReplicas"}
_WAITS: Final = {"minReadySeconds"}

_ZEROS: Final[Mapping[tuple[str, str], set[str]]] = {
    ("apps/v1", "DaemonSetSpec"): _WAITS,
    ("apps/v1", "DaemonSetStatus"): _DAEMONS,
    ("apps/v1", "DeploymentSpec"): _WAITS,
    ("apps/v1", "DeploymentStatus"): _DEPLOYED,
    ("apps/v1", "ReplicaSetSpec"): _WAITS,
    ("apps/v1", "ReplicaSetStatus"): _REPLICAS,
    ("apps/v1", "StatefulSetSpec"): _WAITS,
    ("apps/v1", "StatefulSetStatus"): _STATEFUL,
    ("autoscaling/v1", "ScaleSpec"): {"replicas"},
    ("autoscaling/v2", "HorizontalPodAutoscalerStatus"): {"currentReplicas"},
    ("batch/v1", "JobStatus"): {"active", "succeeded", "failed"},
    ("policy/v1", "PodDisruptionBudgetStatus"): {_OBSERVED},
    ("v1", "PodCondition"): {_OBSERVED},
    ("v1", "PodStatus"): {_OBSERVED},
    ("v1", "ReplicationControllerSpec"): _WAITS,
    ("v1", "ReplicationControllerStatus"): _REPLICAS,
}


def reads_as_zero(model: ModelId, name: str) -> bool:
    """Return whether a number of one of Kubernetes' own types is zero when it is left out."""
    return name in _ZEROS.get((str(model.group_version), model.name), ())

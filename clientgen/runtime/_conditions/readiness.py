"""`ready`: the readiness rules of all kinds.

The rules are the rules of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus/status), which Flux uses,
with three exceptions. For kstatus, a failed Pod is current, a crash loop is failed, and a load
balancer without an address is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from .checks import JsonCheck
from .json_fields import Json, condition_of, generation_problem, kind_of, reason_and_message, text
from .kind_readiness import (
    always_ready,
    judge_api_service,
    judge_claim,
    judge_definition,
    judge_others,
    judge_service,
)
from .pods import judge_pod
from .verdict import Verdict, failed, unmet
from .workloads import (
    judge_daemon_set,
    judge_deployment,
    judge_job,
    judge_replica_set,
    judge_stateful_set,
)

Judge: TypeAlias = Callable[[Json], Verdict]

_RULES: Final[Mapping[str, Judge]] = {
    "ConfigMap": always_ready,
    "CronJob.batch": always_ready,
    "Namespace": always_ready,
    "PodDisruptionBudget.policy": always_ready,
    "Secret": always_ready,
    "APIService.apiregistration.k8s.io": judge_api_service,
    "CustomResourceDefinition.apiextensions.k8s.io": judge_definition,
    "DaemonSet.apps": judge_daemon_set,
    "Deployment.apps": judge_deployment,
    "Job.batch": judge_job,
    "PersistentVolumeClaim": judge_claim,
    "Pod": judge_pod,
    "ReplicaSet.apps": judge_replica_set,
    "ReplicationController": judge_replica_set,
    "Service": judge_service,
    "StatefulSet.apps": judge_stateful_set,
}


def judge_ready(obj: Json) -> Verdict:
    """Judge an object of any kind.

    Raises:
        TypeError: The object is a PartialObjectMetadata.
    """
    if text(obj, "kind") == "PartialObjectMetadata":
        raise TypeError("ready needs the whole object: PartialObjectMetadata has no status")
    if text(obj, "metadata", "deletionTimestamp"):
        return unmet("it is being deleted")
    if problem := generation_problem(obj):
        return unmet(problem)
    # kstatus' "abnormal-true" conditions: True means that the object is not ready.
    reconciling, stalled = condition_of(obj, "Reconciling"), condition_of(obj, "Stalled")
    if text(reconciling, "status") == "True":
        return unmet(
            f"its controller is reconciling ({reason_and_message(reconciling) or 'Reconciling'})"
        )
    if text(stalled, "status") == "True":
        return failed(f"its controller is stalled ({reason_and_message(stalled) or 'Stalled'})")
    return _RULES.get(kind_of(obj), judge_others)(obj)


READY: Final = JsonCheck("ready", judge_ready)

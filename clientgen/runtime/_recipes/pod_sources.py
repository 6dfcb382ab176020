"""Which Pods belong to a workload or a Service.

kubectl: pkg/polymorphichelpers/helpers.go, SelectorsForObject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._conditions.json_fields import flag, items, part, text
from .._http.resource import Resource
from .forward_targets import FORWARDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._conditions.json_fields import Json

JOBS: Final = Resource("batch", "v1", "jobs", "Job")
CRON_JOBS: Final = Resource("batch", "v1", "cronjobs", "CronJob")
SERVICES: Final = {("v1", "Service"): FORWARDED["v1", "Service"]}
SERVICES_MESSAGE: Final = "ready Pods are those of a Service"
ENDPOINT_SLICES: Final = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")
WITH_PODS: Final = {
    **FORWARDED,
    ("v1", "ReplicationController"): Resource(
        "", "v1", "replicationcontrollers", "ReplicationController"
    ),
    ("batch/v1", "Job"): JOBS,
    ("batch/v1", "CronJob"): CRON_JOBS,
}
WITH_PODS_MESSAGE: Final = (
    "Pods belong to a Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob,"
    " ReplicationController or Service"
)
SERVICE_NAME: Final = "kubernetes.io/service-name"
"""The label of the EndpointSlices of a Service."""
JOB_NAME: Final = "job-name"
"""The label of the Pods of Jobs."""


def ready_endpoints(slices: Iterable[Json]) -> set[tuple[str, str]]:
    """Return the names and uids of the Pods that are ready endpoints.

    As in Kubernetes, an endpoint without the condition `ready` is ready.
    """
    return {
        (text(target, "name"), text(target, "uid"))
        for each in slices
        for endpoint in items(each, "endpoints")
        if "ready" not in part(endpoint, "conditions") or flag(endpoint, "conditions", "ready")
        if text(target := part(endpoint, "targetRef"), "kind") == "Pod"
    }

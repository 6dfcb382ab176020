"""All controllers, in the order in which they hear of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cron_jobs import CronJobs
from .daemon_sets import DaemonSets
from .deployments import Deployments
from .disruption_budgets import DisruptionBudgets
from .endpoints_controller import EndpointsController, EndpointSlices
from .jobs import Jobs
from .kubelet import Kubelet
from .namespace_contents import NamespaceContents
from .nodes import Nodes
from .replica_sets import ReplicaSets
from .resource_quotas import ResourceQuotas
from .scheduler import Scheduler
from .stateful_sets import StatefulSets
from .volume_binder import Volumes

if TYPE_CHECKING:
    from .control_plane import Controller, ControlPlane


def controllers(plane: ControlPlane) -> list[Controller]:
    """Make the controllers."""
    return [
        NamespaceContents(plane),
        Nodes(plane),
        Scheduler(plane),
        Kubelet(plane),
        ReplicaSets(plane),
        Deployments(plane),
        Jobs(plane),
        CronJobs(plane),
        StatefulSets(plane),
        DaemonSets(plane),
        Volumes(plane),
        EndpointSlices(plane),
        EndpointsController(plane),
        DisruptionBudgets(plane),
        ResourceQuotas(plane),
    ]

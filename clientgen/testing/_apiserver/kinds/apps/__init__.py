"""The group apps."""

from __future__ import annotations

from .controller_revision import ControllerRevisionStrategy
from .daemon_set import DaemonSetStrategy
from .deployment import DeploymentStrategy
from .replica_set import ReplicaSetStrategy
from .stateful_set import StatefulSetStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "ControllerRevision": ControllerRevisionStrategy,
    "DaemonSet": DaemonSetStrategy,
    "Deployment": DeploymentStrategy,
    "ReplicaSet": ReplicaSetStrategy,
    "StatefulSet": StatefulSetStrategy,
}

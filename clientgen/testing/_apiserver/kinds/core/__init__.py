"""The core group, whose name is empty."""

from __future__ import annotations

from .component_status import ComponentStatusStrategy
from .config_map import ConfigMapStrategy
from .endpoints import EndpointsStrategy
from .event import EventStrategy
from .limit_range import LimitRangeStrategy
from .namespace import NamespaceStrategy
from .node import NodeStrategy
from .persistent_volume import PersistentVolumeStrategy
from .persistent_volume_claim import PersistentVolumeClaimStrategy
from .pod import PodStrategy
from .pod_template import PodTemplateStrategy
from .replication_controller import ReplicationControllerStrategy
from .resource_quota import ResourceQuotaStrategy
from .secret import SecretStrategy
from .service import ServiceStrategy
from .service_account import ServiceAccountStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "ComponentStatus": ComponentStatusStrategy,
    "ConfigMap": ConfigMapStrategy,
    "Endpoints": EndpointsStrategy,
    "Event": EventStrategy,
    "LimitRange": LimitRangeStrategy,
    "Namespace": NamespaceStrategy,
    "Node": NodeStrategy,
    "PersistentVolume": PersistentVolumeStrategy,
    "PersistentVolumeClaim": PersistentVolumeClaimStrategy,
    "Pod": PodStrategy,
    "PodTemplate": PodTemplateStrategy,
    "ReplicationController": ReplicationControllerStrategy,
    "ResourceQuota": ResourceQuotaStrategy,
    "Secret": SecretStrategy,
    "Service": ServiceStrategy,
    "ServiceAccount": ServiceAccountStrategy,
}

"""The group flowcontrol.apiserver.k8s.io."""

from __future__ import annotations

from .flow_schema import FlowSchemaStrategy
from .priority_level_configuration import PriorityLevelConfigurationStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "FlowSchema": FlowSchemaStrategy,
    "PriorityLevelConfiguration": PriorityLevelConfigurationStrategy,
}

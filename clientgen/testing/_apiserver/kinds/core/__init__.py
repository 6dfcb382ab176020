"""The core group, whose name is empty."""

from __future__ import annotations

from .component_status import ComponentStatusStrategy
from .config_map import ConfigMapStrategy
from .event import EventStrategy
from .namespace import NamespaceStrategy
from .secret import SecretStrategy
from .service_account import ServiceAccountStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "ComponentStatus": ComponentStatusStrategy,
    "ConfigMap": ConfigMapStrategy,
    "Event": EventStrategy,
    "Namespace": NamespaceStrategy,
    "Secret": SecretStrategy,
    "ServiceAccount": ServiceAccountStrategy,
}

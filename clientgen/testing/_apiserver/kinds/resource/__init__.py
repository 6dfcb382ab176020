"""The group resource.k8s.io."""

from __future__ import annotations

from .device_class import DeviceClassStrategy
from .device_taint_rule import DeviceTaintRuleStrategy
from .resource_claim import ResourceClaimStrategy
from .resource_claim_template import ResourceClaimTemplateStrategy
from .resource_pool_status_request import ResourcePoolStatusRequestStrategy
from .resource_slice import ResourceSliceStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "DeviceClass": DeviceClassStrategy,
    "DeviceTaintRule": DeviceTaintRuleStrategy,
    "ResourceClaim": ResourceClaimStrategy,
    "ResourceClaimTemplate": ResourceClaimTemplateStrategy,
    "ResourcePoolStatusRequest": ResourcePoolStatusRequestStrategy,
    "ResourceSlice": ResourceSliceStrategy,
}

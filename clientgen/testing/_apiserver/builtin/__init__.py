"""What is hard-wired for built-in kinds: the part of the API server that no schema tells.

A write to a built-in object goes `default` -> `prepare_create` or `prepare_update` -> `validate`,
and `metadata_causes` looks at the metadata of custom objects too. Each kind's knowledge is
registered by the module of its field; importing this package gathers it.
"""

from __future__ import annotations

from . import (
    admission_policies,
    admission_webhooks,
    autoscaler_rules,
    batch_rules,
    certificates,
    config_rules,
    core_strategies,
    device_rules,
    device_slices,
    endpoint_rules,
    event_rules,
    finalizing,
    flow_rules,
    limit_rules,
    network_rules,
    node_rules,
    other_defaults,
    other_warnings,
    pod_defaults,
    pod_resizing,
    pod_rules,
    pod_strategies,
    pod_warnings,
    policy_rules,
    rbac,
    service_rules,
    services,
    status_rules,
    storage_class_rules,
    storage_rules,
    workload_defaults,
    workload_rules,
    workload_strategies,
)
from .admission_expressions import check_by as check_expressions_by
from .bootstrap import bootstrap, control_plane_settings
from .conversion import convert
from .fields import field_values, known_fields
from .filling import default
from .kinds import (
    CONVERTED,
    CREATES_ON_UPDATE,
    DELETE_RETURNS_OBJECT,
    GRACEFUL,
    HAS_GENERATION,
    NEEDS_VERSION_ON_UPDATE,
    ORPHANS_BY_DEFAULT,
    PROTECTED,
)
from .metadata import metadata_causes
from .names import name_causes
from .scales import from_scale, scale_causes, to_scale
from .strategies import prepare_create, prepare_update
from .validating import validate
from .warning import warnings

__all__ = [
    "CONVERTED",
    "CREATES_ON_UPDATE",
    "DELETE_RETURNS_OBJECT",
    "GRACEFUL",
    "HAS_GENERATION",
    "NEEDS_VERSION_ON_UPDATE",
    "ORPHANS_BY_DEFAULT",
    "PROTECTED",
    "bootstrap",
    "check_expressions_by",
    "control_plane_settings",
    "convert",
    "default",
    "field_values",
    "from_scale",
    "known_fields",
    "metadata_causes",
    "name_causes",
    "prepare_create",
    "prepare_update",
    "scale_causes",
    "to_scale",
    "validate",
    "warnings",
]

_GATHERED = (
    admission_policies,
    admission_webhooks,
    autoscaler_rules,
    batch_rules,
    certificates,
    config_rules,
    core_strategies,
    device_rules,
    device_slices,
    endpoint_rules,
    event_rules,
    finalizing,
    flow_rules,
    limit_rules,
    network_rules,
    node_rules,
    other_defaults,
    other_warnings,
    pod_defaults,
    pod_resizing,
    pod_rules,
    pod_strategies,
    pod_warnings,
    policy_rules,
    rbac,
    service_rules,
    services,
    status_rules,
    storage_class_rules,
    storage_rules,
    workload_defaults,
    workload_rules,
    workload_strategies,
)
"""The modules whose import registers what they know."""

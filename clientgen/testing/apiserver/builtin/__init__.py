"""What is hard-wired for built-in kinds: the part of the API server that no schema tells.

A write to a built-in object goes `default` -> `prepare_create` or `prepare_update` -> `validate`,
and `metadata_causes` looks at the metadata of custom objects too. Each kind's knowledge is
registered by the module of its field; importing this package gathers it.
"""

from __future__ import annotations

from . import (
    batch_rules,  # noqa: F401
    certificates,  # noqa: F401 - registers
    config_rules,  # noqa: F401
    core_strategies,  # noqa: F401
    finalizing,  # noqa: F401
    network_rules,  # noqa: F401
    other_defaults,  # noqa: F401
    pod_defaults,  # noqa: F401
    pod_resizing,  # noqa: F401
    pod_rules,  # noqa: F401
    pod_strategies,  # noqa: F401
    policy_rules,  # noqa: F401
    rbac,  # noqa: F401
    service_rules,  # noqa: F401
    services,  # noqa: F401
    status_rules,  # noqa: F401
    storage_rules,  # noqa: F401
    workload_defaults,  # noqa: F401
    workload_rules,  # noqa: F401
    workload_strategies,  # noqa: F401
)
from .bootstrap import BOOTSTRAP
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
    PROTECTED,
)
from .metadata import metadata_causes
from .names import name_causes
from .scales import from_scale, scale_causes, to_scale
from .strategies import prepare_create, prepare_update
from .validating import validate

__all__ = [
    "BOOTSTRAP",
    "CONVERTED",
    "CREATES_ON_UPDATE",
    "DELETE_RETURNS_OBJECT",
    "GRACEFUL",
    "HAS_GENERATION",
    "NEEDS_VERSION_ON_UPDATE",
    "PROTECTED",
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
]

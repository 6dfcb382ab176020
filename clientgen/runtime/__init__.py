"""What generated clients stand on: models, errors, patches, and the REST client in two flavours.

Importing this package is cheap: no HTTP library, event loop or generator comes with it. The
clients themselves are in `clientgen.runtime.aio` and `clientgen.runtime.sync`, the cluster's
configuration is in `clientgen.runtime.config`, selectors are in `clientgen.runtime.selectors`.
"""

from __future__ import annotations

from . import errors
from .codec import (
    WatchEvent,
    WatchEventType,
    decode,
    deep_copy,
    encode,
    from_dict,
    to_dict,
    unknown_fields,
)
from .patches import ApplyPatch, JsonPatch, MergePatch, Patch, StrategicMergePatch, json_pointer
from .quantity import Quantity
from .resource import Resource

__all__ = [
    "ApplyPatch",
    "JsonPatch",
    "MergePatch",
    "Patch",
    "Quantity",
    "Resource",
    "StrategicMergePatch",
    "WatchEvent",
    "WatchEventType",
    "decode",
    "deep_copy",
    "encode",
    "errors",
    "from_dict",
    "json_pointer",
    "to_dict",
    "unknown_fields",
]

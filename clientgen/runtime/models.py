"""Base classes of models, field types, meta/v1, `encode` and `decode`.

A model is a class whose attributes are the fields of an API object. `encode` and `decode` convert
models to and from JSON, `to_dict` and `from_dict` to and from plain dicts, `to_yaml` to manifests.
"""

from __future__ import annotations

from ._models.custom_resource import CustomResource
from ._models.durations import format_duration, parse_duration
from ._models.manifest_writer import to_yaml
from ._models.meta_v1 import (
    APIGroup,
    APIGroupList,
    APIResource,
    APIResourceList,
    APIVersions,
    Condition,
    DeleteOptions,
    FieldSelectorRequirement,
    GroupVersionForDiscovery,
    LabelSelector,
    LabelSelectorRequirement,
    ListMeta,
    ManagedFieldsEntry,
    ModelList,
    ObjectMeta,
    OwnerReference,
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Preconditions,
    ServerAddressByClientCIDR,
    ShardInfo,
    Status,
    StatusCause,
    StatusDetails,
)
from ._models.model import (
    NO_RAW,
    UNSET_ZERO,
    IntOrString,
    Literal,
    MicroTime,
    Model,
    Raw,
    Time,
    UnsetDict,
    UnsetList,
    auto,
    constant,
    field,
)
from ._models.model_codec import decode, deep_copy, encode, from_dict, to_dict, unknown_fields
from ._models.quantity import Quantities, Quantity
from ._models.raw_json import raw, raw_value
from ._models.resource_versions import compare_resource_versions
from ._models.tables import Table, TableColumnDefinition, TableRow, TableRowCondition
from ._models.unstructured import Object, Unstructured, UnstructuredList

__all__ = [
    "NO_RAW",
    "UNSET_ZERO",
    "APIGroup",
    "APIGroupList",
    "APIResource",
    "APIResourceList",
    "APIVersions",
    "Condition",
    "CustomResource",
    "DeleteOptions",
    "FieldSelectorRequirement",
    "GroupVersionForDiscovery",
    "IntOrString",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "Literal",
    "ManagedFieldsEntry",
    "MicroTime",
    "Model",
    "ModelList",
    "Object",
    "ObjectMeta",
    "OwnerReference",
    "PartialObjectMetadata",
    "PartialObjectMetadataList",
    "Preconditions",
    "Quantities",
    "Quantity",
    "Raw",
    "ServerAddressByClientCIDR",
    "ShardInfo",
    "Status",
    "StatusCause",
    "StatusDetails",
    "Table",
    "TableColumnDefinition",
    "TableRow",
    "TableRowCondition",
    "Time",
    "UnsetDict",
    "UnsetList",
    "Unstructured",
    "UnstructuredList",
    "auto",
    "compare_resource_versions",
    "constant",
    "decode",
    "deep_copy",
    "encode",
    "field",
    "format_duration",
    "from_dict",
    "parse_duration",
    "raw",
    "raw_value",
    "to_dict",
    "to_yaml",
    "unknown_fields",
]

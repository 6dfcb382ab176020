"""Facts about built-in kinds that fit into a table.

Facts: docs/internals/kubernetes-semantics.md, 1.4 and 1.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..kinds.metadata import MetadataChecks

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CONVERTED",
    "HAS_GENERATION",
    "KEPT_BY_STATUS",
    "METADATA_CHECKS",
    "NEEDS_VERSION_ON_UPDATE",
    "ORPHANS_BY_DEFAULT",
    "STATUS_METADATA_ONCE",
]

_FLOW: Final = "flowcontrol.apiserver.k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"

NEEDS_VERSION_ON_UPDATE: Final = frozenset(
    {
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
        ("certificates.k8s.io", "clustertrustbundles"),
        ("certificates.k8s.io", "podcertificaterequests"),
        ("internal.apiserver.k8s.io", "storageversions"),
        ("storagemigration.k8s.io", "storageversionmigrations"),
    }
)
"""A PUT has to say which version it is about."""

HAS_GENERATION: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            ("batch", "cronjobs"),
            ("batch", "jobs"),
            (_FLOW, "flowschemas"),
            (_FLOW, "prioritylevelconfigurations"),
        ],
        ("spec",),
    ),
}
"""Kinds whose objects begin with generation 1, and the members whose change counts."""

"""Of these, kinds whose objects get a generation with their first change only."""

ORPHANS_BY_DEFAULT: Final = frozenset({("batch", "jobs")})
"""Kinds whose objects are deleted without their dependents, unless the client says otherwise."""

_ALL: Final = ("labels", "annotations", "finalizers", "ownerReferences")
KEPT_BY_STATUS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            ("apiregistration.k8s.io", "apiservices"),
            (_FLOW, "flowschemas"),
            (_FLOW, "prioritylevelconfigurations"),
        ],
        _ALL,
    ),
}
"""Metadata that a write to the status cannot change."""

CONVERTED: Final = frozenset({"horizontalpodautoscalers.autoscaling"})
"""Collections whose objects look different from version to version."""

_BOTH: Final = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
METADATA_CHECKS: Final[Mapping[tuple[str, str], MetadataChecks]] = {
    **dict.fromkeys(
        [
            ("batch", "jobs"),
        ],
        _BOTH,
    ),
    **dict.fromkeys(
        [
            ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
        ],
        MetadataChecks.WHOLE_AGAIN,
    ),
}
STATUS_METADATA_ONCE: Final = frozenset({("batch", "cronjobs")})

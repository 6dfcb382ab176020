"""The fields by which objects of built-in kinds can be selected, beside name and namespace.

A server rejects field selectors with other fields. Its OpenAPI documents name the fields of custom
resources only (`x-kubernetes-selectable-fields`); those of built-in kinds are in the source code of
Kubernetes (pkg/apis/*/v1/conversion.go, AddFieldLabelConversionFunc).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_EVENT: Final = (
    "kind",
    "namespace",
    "name",
    "uid",
    "apiVersion",
    "resourceVersion",
    "fieldPath",
)

SELECTABLE_FIELDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("", "Event"): (
        *(f"involvedObject.{name}" for name in _EVENT),
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    ("", "Namespace"): ("status.phase",),
    ("", "Node"): ("spec.unschedulable",),
    ("", "Pod"): (
        "spec.nodeName",
        "spec.host",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ),
    ("", "ReplicationController"): ("status.replicas",),
    ("", "Secret"): ("type",),
    ("", "Service"): ("spec.clusterIP", "spec.type"),
    ("batch", "Job"): ("status.successful",),
    ("certificates.k8s.io", "CertificateSigningRequest"): ("spec.signerName",),
    ("events.k8s.io", "Event"): (
        *(f"regarding.{name}" for name in _EVENT),
        "reason",
        "reportingController",
        "type",
    ),
    ("resource.k8s.io", "ResourceSlice"): ("spec.nodeName", "spec.driver"),
}
"""By group and kind, in all versions of the group."""

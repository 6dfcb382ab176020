"""What discovery says of built-in resources and the OpenAPI document does not.

Short names, categories and the order of the groups, as a Kubernetes 1.36 server answers them on
`/api/v1` and `/apis`. Everything else about a resource stands in the document.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATEGORIES", "GROUPS", "SHORT_NAMES", "STORED_IN", "storage_version_hash"]

SHORT_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "componentstatuses": ("cs",),
    "configmaps": ("cm",),
    "endpoints": ("ep",),
    "events": ("ev",),
    "limitranges": ("limits",),
    "namespaces": ("ns",),
    "nodes": ("no",),
    "persistentvolumeclaims": ("pvc",),
    "persistentvolumes": ("pv",),
    "pods": ("po",),
    "replicationcontrollers": ("rc",),
    "resourcequotas": ("quota",),
    "serviceaccounts": ("sa",),
    "services": ("svc",),
    "daemonsets.apps": ("ds",),
    "deployments.apps": ("deploy",),
    "replicasets.apps": ("rs",),
    "statefulsets.apps": ("sts",),
    "events.events.k8s.io": ("ev",),
    "horizontalpodautoscalers.autoscaling": ("hpa",),
    "cronjobs.batch": ("cj",),
    "certificatesigningrequests.certificates.k8s.io": ("csr",),
    "ingresses.networking.k8s.io": ("ing",),
    "ipaddresses.networking.k8s.io": ("ip",),
    "networkpolicies.networking.k8s.io": ("netpol",),
    "poddisruptionbudgets.policy": ("pdb",),
    "storageclasses.storage.k8s.io": ("sc",),
    "volumeattributesclasses.storage.k8s.io": ("vac",),
    "customresourcedefinitions.apiextensions.k8s.io": ("crd", "crds"),
    "priorityclasses.scheduling.k8s.io": ("pc",),
}
"""By plural and group, as `Resource.group_resource` writes them."""

CATEGORIES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "pods",
            "replicationcontrollers",
            "services",
            "daemonsets.apps",
            "deployments.apps",
            "replicasets.apps",
            "statefulsets.apps",
            "horizontalpodautoscalers.autoscaling",
            "cronjobs.batch",
            "jobs.batch",
        ),
        ("all",),
    ),
    **dict.fromkeys(
        (
            "apiservices.apiregistration.k8s.io",
            "customresourcedefinitions.apiextensions.k8s.io",
            "mutatingadmissionpolicies.admissionregistration.k8s.io",
            "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
            "mutatingwebhookconfigurations.admissionregistration.k8s.io",
            "validatingadmissionpolicies.admissionregistration.k8s.io",
            "validatingadmissionpolicybindings.admissionregistration.k8s.io",
            "validatingwebhookconfigurations.admissionregistration.k8s.io",
        ),
        ("api-extensions",),
    ),
}
"""By plural and group, as `Resource.group_resource` writes them."""

GROUPS: Final[Mapping[str, int]] = {
    group: rank
    for rank, group in enumerate(
        (
            "",
            "apiregistration.k8s.io",
            "apps",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "networking.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "storage.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "scheduling.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "discovery.k8s.io",
            "resource.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "internal.apiserver.k8s.io",
        )
    )
}
"""The rank of each built-in group; all others come after them."""


STORED_IN: Final[Mapping[str, tuple[str, str]]] = {
    "events.events.k8s.io": ("", "v1"),
    "customresourcedefinitions.apiextensions.k8s.io": ("apiextensions.k8s.io", "v1beta1"),
    **dict.fromkeys(
        (
            "mutatingadmissionpolicies.admissionregistration.k8s.io",
            "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
        ),
        ("admissionregistration.k8s.io", "v1beta1"),
    ),
    "devicetaintrules.resource.k8s.io": ("resource.k8s.io", "v1alpha3"),
}
"""The group and version in which objects are stored, where that is not the preferred version."""


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Discovery's `storageVersionHash` of resources that are stored as that."""
    return b64encode(sha256(f"{group}/{version}/{kind}".encode()).digest()[:8]).decode()

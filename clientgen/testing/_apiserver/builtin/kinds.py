"""How the API server treats each built-in kind, as far as it is a table (fact sheet 1.4, 1.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BEGINS_UNCOUNTED",
    "CONVERTED",
    "CREATES_ON_UPDATE",
    "DELETE_RETURNS_OBJECT",
    "GRACEFUL",
    "HAS_GENERATION",
    "KEPT_BY_STATUS",
    "NEEDS_VERSION_ON_UPDATE",
    "ORPHANS_BY_DEFAULT",
    "PROTECTED",
    "STATUS_IS_THE_CLIENTS",
    "TOLD_AS",
]

_ADMISSION: Final = "admissionregistration.k8s.io"
_DEVICES: Final = "resource.k8s.io"
_FLOW: Final = "flowcontrol.apiserver.k8s.io"
_RBAC: Final = "rbac.authorization.k8s.io"
_STORAGE: Final = "storage.k8s.io"
_ADMISSION_KINDS: Final = tuple(
    (_ADMISSION, plural)
    for plural in (
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "validatingwebhookconfigurations",
    )
)

DELETE_RETURNS_OBJECT: Final = frozenset(
    {
        ("", "persistentvolumeclaims"),
        ("", "persistentvolumes"),
        ("", "namespaces"),
        ("", "pods"),
        ("", "podtemplates"),
        ("", "resourcequotas"),
        ("", "serviceaccounts"),
        ("", "services"),
        (_DEVICES, "deviceclasses"),
        (_DEVICES, "devicetaintrules"),
        (_DEVICES, "resourceclaims"),
        (_DEVICES, "resourceclaimtemplates"),
        (_DEVICES, "resourcepoolstatusrequests"),
        (_DEVICES, "resourceslices"),
        (_STORAGE, "csidrivers"),
        (_STORAGE, "csinodes"),
        (_STORAGE, "storageclasses"),
        (_STORAGE, "volumeattachments"),
        (_STORAGE, "volumeattributesclasses"),
    }
)
"""A delete answers the object itself, not a Status."""

CREATES_ON_UPDATE: Final = frozenset(
    {
        ("", "endpoints"),
        ("", "events"),
        ("", "limitranges"),
        ("", "services"),
        ("coordination.k8s.io", "leasecandidates"),
        ("coordination.k8s.io", "leases"),
        ("events.k8s.io", "events"),
        ("node.k8s.io", "runtimeclasses"),
        (_RBAC, "clusterrolebindings"),
        (_RBAC, "clusterroles"),
        (_RBAC, "rolebindings"),
        (_RBAC, "roles"),
    }
)
"""A PUT to a name that is not there creates the object."""

NEEDS_VERSION_ON_UPDATE: Final = frozenset(
    {
        *_ADMISSION_KINDS,
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
        ("certificates.k8s.io", "clustertrustbundles"),
        ("certificates.k8s.io", "podcertificaterequests"),
        ("coordination.k8s.io", "leasecandidates"),
        ("coordination.k8s.io", "leases"),
        ("internal.apiserver.k8s.io", "storageversions"),
        ("node.k8s.io", "runtimeclasses"),
        ("policy", "poddisruptionbudgets"),
        (_DEVICES, "resourcepoolstatusrequests"),
        ("storagemigration.k8s.io", "storageversionmigrations"),
        (_STORAGE, "csidrivers"),
        (_STORAGE, "csinodes"),
        (_STORAGE, "csistoragecapacities"),
        (_STORAGE, "volumeattachments"),
    }
)
"""A PUT has to say which version it is about."""

HAS_GENERATION: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            ("", "pods"),
            ("", "replicationcontrollers"),
            ("apps", "daemonsets"),
            ("apps", "deployments"),
            ("apps", "replicasets"),
            ("apps", "statefulsets"),
            ("batch", "cronjobs"),
            ("batch", "jobs"),
            ("networking.k8s.io", "ingressclasses"),
            ("networking.k8s.io", "ingresses"),
            ("networking.k8s.io", "networkpolicies"),
            ("policy", "poddisruptionbudgets"),
            (_ADMISSION, "mutatingadmissionpolicies"),
            (_ADMISSION, "mutatingadmissionpolicybindings"),
            (_ADMISSION, "validatingadmissionpolicies"),
            (_ADMISSION, "validatingadmissionpolicybindings"),
            (_DEVICES, "deviceclasses"),
            (_DEVICES, "devicetaintrules"),
            (_DEVICES, "resourceslices"),
            (_FLOW, "flowschemas"),
            (_FLOW, "prioritylevelconfigurations"),
            (_STORAGE, "csidrivers"),
        ],
        ("spec",),
    ),
    ("", "podtemplates"): ("template",),
    (_ADMISSION, "mutatingwebhookconfigurations"): ("webhooks",),
    (_ADMISSION, "validatingwebhookconfigurations"): ("webhooks",),
    ("discovery.k8s.io", "endpointslices"): ("addressType", "endpoints", "ports"),
    ("scheduling.k8s.io", "priorityclasses"): (),
}
"""Kinds whose objects begin with generation 1, and the members whose change counts."""

BEGINS_UNCOUNTED: Final = frozenset({(_STORAGE, "csidrivers")})
"""Of these, kinds whose objects get a generation with their first change only."""

ORPHANS_BY_DEFAULT: Final = frozenset({("", "replicationcontrollers"), ("batch", "jobs")})
"""Kinds whose objects are deleted without their dependents, unless the client says otherwise."""

GRACEFUL: Final = frozenset({("", "pods")})
"""Kinds whose objects may be given time to end."""

PROTECTED: Final = frozenset({"default", "kube-system", "kube-public"})
"""Namespaces that cannot be deleted."""

STATUS_IS_THE_CLIENTS: Final = frozenset({("", "nodes")})
"""Kinds whose objects may be created with a status."""

_ALL: Final = ("labels", "annotations", "finalizers", "ownerReferences")
KEPT_BY_STATUS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("apps", "deployments"): ("labels",),
    ("", "pods"): ("ownerReferences",),
    **dict.fromkeys(
        [
            ("apiregistration.k8s.io", "apiservices"),
            ("networking.k8s.io", "servicecidrs"),
            (_ADMISSION, "validatingadmissionpolicies"),
            (_DEVICES, "devicetaintrules"),
            (_DEVICES, "resourceclaims"),
            (_DEVICES, "resourcepoolstatusrequests"),
            (_FLOW, "flowschemas"),
            (_FLOW, "prioritylevelconfigurations"),
            (_STORAGE, "volumeattachments"),
        ],
        _ALL,
    ),
}
"""What of the metadata a write to the status cannot change."""

TOLD_AS: Final[Mapping[tuple[str, str], str]] = {("events.k8s.io", "events"): ""}
"""The group that an invalid object is told under, where it is not its own."""

CONVERTED: Final = frozenset({"events", "horizontalpodautoscalers.autoscaling"})
"""Collections whose objects look different from version to version."""

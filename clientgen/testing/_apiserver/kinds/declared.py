"""What the server's own types say of their members, which the OpenAPI v2 document does not repeat.

Facts, read off the `default` values of the OpenAPI v3 documents of Kubernetes 1.36.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFAULTS", "PARTS", "ZEROS"]

DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "core.v1.AzureDiskVolumeSource": {
        "cachingMode": "ReadWrite",
        "fsType": "ext4",
        "kind": "Shared",
    },
    "core.v1.ContainerPort": {"protocol": "TCP"},
    "core.v1.ISCSIPersistentVolumeSource": {"iscsiInterface": "default"},
    "core.v1.ISCSIVolumeSource": {"iscsiInterface": "default"},
    "core.v1.RBDPersistentVolumeSource": {
        "keyring": "/etc/ceph/keyring",
        "pool": "rbd",
        "user": "admin",
    },
    "core.v1.RBDVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    "core.v1.ReplicationControllerSpec": {"replicas": 1},
    "core.v1.ScaleIOPersistentVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "core.v1.ScaleIOVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "core.v1.ServicePort": {"protocol": "TCP"},
    "resource.v1.DeviceToleration": {"operator": "Equal"},
    "resource.v1alpha3.ResourcePoolStatusRequestSpec": {"limit": 100},
    "resource.v1beta1.DeviceToleration": {"operator": "Equal"},
    "resource.v1beta2.DeviceToleration": {"operator": "Equal"},
}
"""Values of members that are missing or empty."""

_PARTS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("backend",): ("networking.v1.HTTPIngressPath",),
    ("clientConfig",): (
        "admissionregistration.v1.MutatingWebhook",
        "admissionregistration.v1.ValidatingWebhook",
    ),
    ("conditions",): ("discovery.v1.Endpoint",),
    ("current",): (
        "autoscaling.v2.ContainerResourceMetricStatus",
        "autoscaling.v2.ResourceMetricStatus",
    ),
    (
        "current",
        "describedObject",
        "metric",
    ): ("autoscaling.v2.ObjectMetricStatus",),
    (
        "current",
        "metric",
    ): (
        "autoscaling.v2.ExternalMetricStatus",
        "autoscaling.v2.PodsMetricStatus",
    ),
    (
        "describedObject",
        "metric",
        "target",
    ): ("autoscaling.v2.ObjectMetricSource",),
    ("devices",): (
        "resource.v1.AllocationResult",
        "resource.v1.ResourceClaimSpec",
        "resource.v1beta1.AllocationResult",
        "resource.v1beta1.ResourceClaimSpec",
        "resource.v1beta2.AllocationResult",
        "resource.v1beta2.ResourceClaimSpec",
    ),
    ("jobTemplate",): ("batch.v1.CronJobSpec",),
    (
        "lastState",
        "state",
    ): ("core.v1.ContainerStatus",),
    ("limitResponse",): ("flowcontrol.v1.LimitedPriorityLevelConfiguration",),
    ("loadBalancer",): (
        "core.v1.ServiceStatus",
        "networking.v1.IngressStatus",
    ),
    (
        "metric",
        "target",
    ): (
        "autoscaling.v2.ExternalMetricSource",
        "autoscaling.v2.PodsMetricSource",
    ),
    ("podAffinityTerm",): ("core.v1.WeightedPodAffinityTerm",),
    ("podSelector",): ("networking.v1.NetworkPolicySpec",),
    ("pool",): (
        "resource.v1.ResourceSliceSpec",
        "resource.v1beta1.ResourceSliceSpec",
        "resource.v1beta2.ResourceSliceSpec",
    ),
    ("port",): ("networking.v1.IngressServiceBackend",),
    ("preference",): ("core.v1.PreferredSchedulingTerm",),
    ("priorityLevelConfiguration",): ("flowcontrol.v1.FlowSchemaSpec",),
    ("resources",): (
        "core.v1.Container",
        "core.v1.EphemeralContainer",
        "core.v1.PersistentVolumeClaimSpec",
    ),
    ("roleRef",): (
        "rbac.v1.ClusterRoleBinding",
        "rbac.v1.RoleBinding",
    ),
    ("scaleTargetRef",): (
        "autoscaling.v1.HorizontalPodAutoscalerSpec",
        "autoscaling.v2.HorizontalPodAutoscalerSpec",
    ),
    ("source",): ("storage.v1.VolumeAttachmentSpec",),
    ("spec",): (
        "admissionregistration.v1.MutatingAdmissionPolicy",
        "admissionregistration.v1.MutatingAdmissionPolicyBinding",
        "admissionregistration.v1.ValidatingAdmissionPolicyBinding",
        "admissionregistration.v1alpha1.MutatingAdmissionPolicy",
        "admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding",
        "admissionregistration.v1beta1.MutatingAdmissionPolicy",
        "admissionregistration.v1beta1.MutatingAdmissionPolicyBinding",
        "batch.v1.JobTemplateSpec",
        "core.v1.PersistentVolumeClaimTemplate",
        "core.v1.PodTemplateSpec",
        "networking.v1.IPAddress",
        "networking.v1.IngressClass",
        "networking.v1.NetworkPolicy",
        "networking.v1beta1.IPAddress",
        "resource.v1.DeviceClass",
        "resource.v1.ResourceClaimTemplate",
        "resource.v1.ResourceClaimTemplateSpec",
        "resource.v1.ResourceSlice",
        "resource.v1alpha3.ResourcePoolStatusRequest",
        "resource.v1beta1.DeviceClass",
        "resource.v1beta1.ResourceClaimTemplate",
        "resource.v1beta1.ResourceClaimTemplateSpec",
        "resource.v1beta1.ResourceSlice",
        "resource.v1beta2.DeviceClass",
        "resource.v1beta2.ResourceClaimTemplate",
        "resource.v1beta2.ResourceClaimTemplateSpec",
        "resource.v1beta2.ResourceSlice",
        "storage.v1.CSIDriver",
        "storage.v1.CSINode",
    ),
    (
        "spec",
        "status",
    ): (
        "admissionregistration.v1.ValidatingAdmissionPolicy",
        "apiserverinternal.v1alpha1.StorageVersion",
        "apps.v1.DaemonSet",
        "apps.v1.Deployment",
        "apps.v1.ReplicaSet",
        "apps.v1.StatefulSet",
        "authentication.v1.TokenRequest",
        "authentication.v1.TokenReview",
        "authorization.v1.LocalSubjectAccessReview",
        "authorization.v1.SelfSubjectAccessReview",
        "authorization.v1.SelfSubjectRulesReview",
        "authorization.v1.SubjectAccessReview",
        "autoscaling.v1.HorizontalPodAutoscaler",
        "autoscaling.v1.Scale",
        "autoscaling.v2.HorizontalPodAutoscaler",
        "batch.v1.CronJob",
        "batch.v1.Job",
        "certificates.v1.CertificateSigningRequest",
        "core.v1.PersistentVolume",
        "core.v1.PersistentVolumeClaim",
        "core.v1.Pod",
        "core.v1.ReplicationController",
        "core.v1.Service",
        "flowcontrol.v1.FlowSchema",
        "flowcontrol.v1.PriorityLevelConfiguration",
        "networking.v1.Ingress",
        "networking.v1.ServiceCIDR",
        "networking.v1beta1.ServiceCIDR",
        "resource.v1.ResourceClaim",
        "resource.v1alpha3.DeviceTaintRule",
        "resource.v1beta1.ResourceClaim",
        "resource.v1beta2.DeviceTaintRule",
        "resource.v1beta2.ResourceClaim",
        "storage.v1.VolumeAttachment",
        "apiregistration.v1.APIService",
    ),
    ("status",): ("authentication.v1.SelfSubjectReview",),
    (
        "strategy",
        "template",
    ): ("apps.v1.DeploymentSpec",),
    ("taint",): (
        "resource.v1alpha3.DeviceTaintRuleSpec",
        "resource.v1beta2.DeviceTaintRuleSpec",
    ),
    ("target",): (
        "autoscaling.v2.ContainerResourceMetricSource",
        "autoscaling.v2.ResourceMetricSource",
        "core.v1.Binding",
    ),
    ("template",): (
        "apps.v1.ReplicaSetSpec",
        "batch.v1.JobSpec",
        "core.v1.PodTemplate",
    ),
    (
        "template",
        "updateStrategy",
    ): (
        "apps.v1.DaemonSetSpec",
        "apps.v1.StatefulSetSpec",
    ),
    ("user",): ("authentication.v1.TokenReviewStatus",),
    ("userInfo",): ("authentication.v1.SelfSubjectReviewStatus",),
}

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    name: fields for fields, names in _PARTS.items() for name in names
}
"""Members that are held as values, so that an answer has them even when they are empty."""

ZEROS: Final[Mapping[str, Mapping[str, Any]]] = {
    "apps.v1.StatefulSetOrdinals": {"start": 0},
    "apps.v1.StatefulSetStatus": {"availableReplicas": 0},
    "autoscaling.v2.HorizontalPodAutoscalerStatus": {"currentMetrics": None},
    "discovery.v1.EndpointSlice": {"endpoints": None, "ports": None},
    "rbac.v1.ClusterRole": {"rules": None},
    "rbac.v1.Role": {"rules": None},
    "storage.v1.CSINodeDriver": {"topologyKeys": None},
}
"""Members that are not required and yet never missing, with their zero values."""

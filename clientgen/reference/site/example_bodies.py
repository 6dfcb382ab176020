"""Bodies of examples for Kubernetes' own kinds that need more than their types require.

Each is a manifest that an API server accepts, without what all have: apiVersion, kind and the name
`example`. The keys are those of manifests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABELS: Final = {"app": "example"}
_POD: Final = {"containers": [{"name": "web", "image": "nginx"}]}
_TEMPLATE: Final = {"metadata": {"labels": _LABELS}, "spec": _POD}
_TASK: Final = {"template": {"spec": {**_POD, "restartPolicy": "Never"}}}
_WORKLOAD: Final = {"selector": {"matchLabels": _LABELS}, "template": _TEMPLATE}
_TARGET: Final = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
_ON_PODS: Final = {
    "resourceRules": [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    ]
}
_ROLES: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_ATTRIBUTES: Final = {"namespace": "default", "verb": "get", "resource": "pods"}

BODIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "/Binding": {"target": {"kind": "Node", "name": "node-1"}},
    "/LimitRange": {"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}},
    "/PersistentVolume": {
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/data"},
        }
    },
    "/PersistentVolumeClaim": {
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        }
    },
    "/Pod": {"spec": _POD},
    "/PodTemplate": {"template": _TEMPLATE},
    "/ReplicationController": {"spec": {"selector": _LABELS, "template": _TEMPLATE}},
    "/Service": {"spec": {"selector": _LABELS, "ports": [{"port": 80}]}},
    "apps/ControllerRevision": {"revision": 1, "data": {"replicas": 3}},
    "apps/DaemonSet": {"spec": _WORKLOAD},
    "apps/Deployment": {"spec": _WORKLOAD},
    "apps/ReplicaSet": {"spec": _WORKLOAD},
    "apps/StatefulSet": {"spec": {**_WORKLOAD, "serviceName": "web"}},
    "autoscaling/HorizontalPodAutoscaler": {"spec": {"maxReplicas": 5, "scaleTargetRef": _TARGET}},
    "batch/CronJob": {"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": _TASK}}},
    "batch/Job": {"spec": _TASK},
    "networking.k8s.io/Ingress": {
        "spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
    },
    "networking.k8s.io/IngressClass": {"spec": {"controller": "example.com/ingress"}},
    "networking.k8s.io/IPAddress": {
        "metadata": {"name": "10.9.8.7"},
        "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "web"}},
    },
    "networking.k8s.io/ServiceCIDR": {"spec": {"cidrs": ["10.9.0.0/16"]}},
    "storage.k8s.io/VolumeAttachment": {
        "spec": {
            "attacher": "disk.example.com",
            "nodeName": "node-1",
            "source": {"persistentVolumeName": "data"},
        }
    },
    "storage.k8s.io/VolumeAttributesClass": {
        "driverName": "disk.example.com",
        "parameters": {"speed": "fast"},
    },
    f"{_ROLES}/ClusterRoleBinding": {
        "roleRef": {"apiGroup": _ROLES, "kind": "ClusterRole", "name": "view"}
    },
    f"{_ROLES}/RoleBinding": {
        "roleRef": {"apiGroup": _ROLES, "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "web", "namespace": "default"}],
    },
    f"{_ADMISSION}/ValidatingAdmissionPolicy": {
        "spec": {
            "matchConstraints": _ON_PODS,
            "validations": [{"expression": "has(object.metadata.labels)"}],
        }
    },
    f"{_ADMISSION}/MutatingAdmissionPolicy": {
        "spec": {
            "matchConstraints": _ON_PODS,
            "reinvocationPolicy": "Never",
            "mutations": [
                {
                    "patchType": "JSONPatch",
                    "jsonPatch": {
                        "expression": '[JSONPatch{op: "add", path: "/metadata/labels/team", '
                        'value: "web"}]'
                    },
                }
            ],
        }
    },
    f"{_ADMISSION}/MutatingAdmissionPolicyBinding": {"spec": {"policyName": "example"}},
    "apiextensions.k8s.io/CustomResourceDefinition": {
        "metadata": {"name": "crontabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "scope": "Namespaced",
            "names": {"kind": "CronTab", "plural": "crontabs"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    },
    "apiregistration.k8s.io/APIService": {
        "metadata": {"name": "v1.metrics.example.com"},
        "spec": {
            "group": "metrics.example.com",
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"namespace": "default", "name": "metrics"},
        },
    },
    **{
        f"authorization.k8s.io/{kind}": {
            "metadata": {},  # reviews are not stored, so that they have no name
            "spec": {"resourceAttributes": _ATTRIBUTES, **user},
        }
        for kind, user in {
            "LocalSubjectAccessReview": {"user": "jane"},
            "SelfSubjectAccessReview": {},
            "SubjectAccessReview": {"user": "jane"},
        }.items()
    },
    "authorization.k8s.io/SelfSubjectRulesReview": {
        "metadata": {},
        "spec": {"namespace": "default"},
    },
    "coordination.k8s.io/LeaseCandidate": {
        "spec": {
            "leaseName": "web",
            "binaryVersion": "1.2.3",
            "emulationVersion": "1.2.0",
            "strategy": "OldestEmulationVersion",
        }
    },
    "events.k8s.io/Event": {
        "eventTime": "2026-01-02T03:04:05.000006Z",
        "type": "Normal",
        "reason": "Started",
        "action": "Starting",
        "reportingController": "example.com/web",
        "reportingInstance": "web-0",
        "regarding": {"kind": "Pod", "namespace": "default", "name": "web-0"},
    },
    "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": {
        "spec": {
            "type": "Limited",
            "limited": {"limitResponse": {"type": "Reject"}},
        }
    },
    "internal.apiserver.k8s.io/StorageVersion": {
        "metadata": {"name": "apps.deployments"},
        "spec": {},
    },
    "resource.k8s.io/ResourceSlice": {
        "spec": {
            "driver": "disk.example.com",
            "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
            "nodeName": "node-1",
        }
    },
}
"""By group and kind."""


def body_of(group: str, kind: str) -> Mapping[str, Any] | None:
    """The body of the example of a kind; None if what its type requires is enough."""
    return BODIES.get(f"{group}/{kind}")

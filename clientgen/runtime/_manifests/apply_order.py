"""The order in which the objects of a manifest set are applied and deleted.

Objects on which others depend come first: namespaces, definitions, quotas, accounts and their
roles, configuration, volumes, services. Workloads follow, then all other objects, such as custom
resources. Webhooks and admission policies come last, because they intercept requests and may need
the workloads. Helm and kustomize have similar orders: helm.sh/helm,
pkg/releaseutil/kind_sorter.go; sigs.k8s.io/kustomize,
api/internal/builtins/SortOrderTransformer.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

NAMESPACE_KIND: Final = "Namespace"
CRD_KIND: Final = "CustomResourceDefinition.apiextensions.k8s.io"

# One rank per line. Objects whose kinds are on the same line keep the order of the manifests.
_FIRST_KINDS: Final = """\
Namespace
CustomResourceDefinition.apiextensions.k8s.io
PriorityClass.scheduling.k8s.io RuntimeClass.node.k8s.io DeviceClass.resource.k8s.io
StorageClass.storage.k8s.io CSIDriver.storage.k8s.io IngressClass.networking.k8s.io
ResourceQuota LimitRange NetworkPolicy.networking.k8s.io
ServiceAccount
ClusterRole.rbac.authorization.k8s.io Role.rbac.authorization.k8s.io
ClusterRoleBinding.rbac.authorization.k8s.io RoleBinding.rbac.authorization.k8s.io
ConfigMap Secret
PersistentVolume
PersistentVolumeClaim
Service Endpoints EndpointSlice.discovery.k8s.io PodDisruptionBudget.policy
Pod ReplicationController ReplicaSet.apps Deployment.apps StatefulSet.apps DaemonSet.apps
Job.batch CronJob.batch
""".splitlines()
_LAST_KINDS: Final = """\
ValidatingAdmissionPolicy.admissionregistration.k8s.io
MutatingAdmissionPolicy.admissionregistration.k8s.io
ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io
MutatingAdmissionPolicyBinding.admissionregistration.k8s.io
MutatingWebhookConfiguration.admissionregistration.k8s.io
ValidatingWebhookConfiguration.admissionregistration.k8s.io
APIService.apiregistration.k8s.io
""".splitlines()
_RANK_OF_OTHERS: Final = len(_FIRST_KINDS)
_RANKS: Final = {
    **{kind: rank for rank, kinds in enumerate(_FIRST_KINDS) for kind in kinds.split()},
    **{
        kind: rank
        for rank, kinds in enumerate(_LAST_KINDS, _RANK_OF_OTHERS + 1)
        for kind in kinds.split()
    },
}


def group_kind(group: str, kind: str) -> str:
    """Return a kind with its group, in Kubernetes' notation: `Deployment.apps`, `Secret`."""
    return f"{kind}.{group}" if group else kind


def in_apply_order(objects: Iterable[T], kind_of: Callable[[T], str]) -> list[T]:
    """Sort objects into the order in which they are applied. The sort is stable.

    Args:
        objects: the objects.
        kind_of: returns the `group_kind` of an object.
    """
    return sorted(objects, key=lambda each: _RANKS.get(kind_of(each), _RANK_OF_OTHERS))


def deletion_order(objects: Iterable[T], kind_of: Callable[[T], str]) -> list[T]:
    """Sort objects into the order in which they are deleted: the reverse of `in_apply_order`."""
    return in_apply_order(objects, kind_of)[::-1]

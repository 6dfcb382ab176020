"""The group rbac.authorization.k8s.io."""

from __future__ import annotations

from .cluster_role import ClusterRoleStrategy
from .cluster_role_binding import ClusterRoleBindingStrategy
from .role import RoleStrategy
from .role_binding import RoleBindingStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "ClusterRole": ClusterRoleStrategy,
    "ClusterRoleBinding": ClusterRoleBindingStrategy,
    "Role": RoleStrategy,
    "RoleBinding": RoleBindingStrategy,
}

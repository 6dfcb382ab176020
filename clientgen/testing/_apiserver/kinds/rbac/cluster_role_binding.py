"""ClusterRoleBinding: who has a role everywhere."""

from __future__ import annotations

from .rbac_strategy import RbacBindingStrategy


class ClusterRoleBindingStrategy(RbacBindingStrategy):
    """The strategy for ClusterRoleBindings."""

    roles = ("ClusterRole",)

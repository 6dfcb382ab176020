"""RoleBinding: who has a role in a namespace."""

from __future__ import annotations

from ..defaults import TypeDefaults
from .rbac_strategy import RbacBindingStrategy
from .role_rules import set_role_group, set_subject_group


class RoleBindingStrategy(RbacBindingStrategy):
    """The strategy for RoleBindings."""

    types = {
        "rbac.v1.RoleRef": TypeDefaults(fill=set_role_group),
        "rbac.v1.Subject": TypeDefaults(fill=set_subject_group),
    }
    roles = ("Role", "ClusterRole")

"""Role: permissions in a namespace."""

from __future__ import annotations

from ..defaults import TypeDefaults
from .rbac_strategy import RbacRoleStrategy


class RoleStrategy(RbacRoleStrategy):
    """The strategy for Roles."""

    types = {"rbac.v1.Role": TypeDefaults(zeros={"rules": None})}

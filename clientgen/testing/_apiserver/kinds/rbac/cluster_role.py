"""ClusterRole: permissions in all namespaces, on cluster-wide resources and on paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..defaults import TypeDefaults
from .rbac_strategy import RbacRoleStrategy
from .role_rules import aggregation_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause


class ClusterRoleStrategy(RbacRoleStrategy):
    """The strategy for ClusterRoles."""

    types = {"rbac.v1.ClusterRole": TypeDefaults(zeros={"rules": None})}

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the selectors of other roles, and the rules."""
        if obj.get("aggregationRule") is not None:
            yield from aggregation_causes(obj["aggregationRule"])
        yield from super().validate(obj)

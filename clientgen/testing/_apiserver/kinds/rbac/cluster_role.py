"""ClusterRole: permissions in all namespaces, on cluster-wide resources and on paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import parts

from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..strategy import Strategy
from .role_rules import aggregation_causes, rule_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

__all__ = ["ClusterRoleStrategy"]


class ClusterRoleStrategy(Strategy):
    """The strategy for ClusterRoles."""

    types = {"rbac.v1.ClusterRole": TypeDefaults(zeros={"rules": None})}
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    allow_create_on_update = True

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the rules."""
        if obj.get("aggregationRule") is not None:
            yield from aggregation_causes(obj["aggregationRule"])
        for index, rule in enumerate(parts(obj, "rules")):
            yield from rule_causes(rule, f"rules[{index}]", namespaced=False)

"""RoleBinding: who has a role in a namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import part, parts

from ...tables.columns import Printer
from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..strategy import Strategy
from .binding_columns import BINDING_COLUMNS
from .role_rules import (
    reference_causes,
    role_change_causes,
    set_role_group,
    set_subject_group,
    subject_causes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

__all__ = ["RoleBindingStrategy"]


class RoleBindingStrategy(Strategy):
    """The strategy for RoleBindings."""

    types = {
        "rbac.v1.RoleRef": TypeDefaults(fill=set_role_group),
        "rbac.v1.Subject": TypeDefaults(fill=set_subject_group),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    allow_create_on_update = True
    printer = Printer(BINDING_COLUMNS)

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the role and the subjects."""
        yield from reference_causes(part(obj, "roleRef"), ("Role", "ClusterRole"))
        for index, subject in enumerate(parts(obj, "subjects")):
            yield from subject_causes(subject, f"subjects[{index}]", namespaced=True)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the role."""
        yield from self.validate(new)
        yield from role_change_causes(new, old)

"""What the kinds of RBAC share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import part, parts

from ...tables.columns import Printer
from ..metadata import MetadataChecks
from ..strategy import Strategy
from .binding_columns import BINDING_COLUMNS
from .role_rules import reference_causes, role_change_causes, rule_causes, subject_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause


class RbacStrategy(Strategy):
    """The strategy for all of them."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    allow_create_on_update = True

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)


class RbacRoleStrategy(RbacStrategy):
    """The strategy for roles."""

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the rules."""
        for index, rule in enumerate(parts(obj, "rules")):
            yield from rule_causes(rule, f"rules[{index}]", namespaced=self.resource.namespaced)


class RbacBindingStrategy(RbacStrategy):
    """The strategy for bindings.

    Attributes:
        roles: the kinds of roles that can be bound.
    """

    roles: ClassVar[tuple[str, ...]]
    printer = Printer(BINDING_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the role and the subjects."""
        yield from reference_causes(part(obj, "roleRef"), self.roles)
        for index, subject in enumerate(parts(obj, "subjects")):
            at = f"subjects[{index}]"
            yield from subject_causes(subject, at, namespaced=self.resource.namespaced)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the role."""
        yield from self.validate(new)
        yield from role_change_causes(new, old)

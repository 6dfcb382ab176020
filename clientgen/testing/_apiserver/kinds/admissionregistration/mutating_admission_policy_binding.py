"""MutatingAdmissionPolicyBinding: where a MutatingAdmissionPolicy holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import part

from ...tables.columns import Printer
from .admission_strategy import AdmissionStrategy
from .bindings import BINDING_COLUMNS, binding_causes
from .match_resources import MATCH_TYPES
from .operations import operation_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause


class MutatingAdmissionPolicyBindingStrategy(AdmissionStrategy):
    """The strategy for MutatingAdmissionPolicyBindings."""

    types = MATCH_TYPES
    printer = Printer(BINDING_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the policy, the parameters and the operations."""
        spec = part(obj, "spec")
        yield from binding_causes(spec)
        yield from operation_causes(part(spec, "matchResources"), "spec.matchResources")

"""ValidatingAdmissionPolicyBinding: where a ValidatingAdmissionPolicy holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required
from clientgen._json import part, texts

from ...tables.columns import Printer
from ..shared.common_checks import one_of
from .admission_strategy import AdmissionStrategy
from .bindings import BINDING_COLUMNS, binding_causes
from .match_resources import MATCH_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTIONS: Final = ("Audit", "Deny", "Warn")


class ValidatingAdmissionPolicyBindingStrategy(AdmissionStrategy):
    """The strategy for ValidatingAdmissionPolicyBindings."""

    types = MATCH_TYPES
    printer = Printer(BINDING_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the policy, the parameters and the actions."""
        spec = part(obj, "spec")
        yield from binding_causes(spec)
        actions, path = texts(spec, "validationActions"), "spec.validationActions"
        seen: set[str] = set()
        for index, action in enumerate(actions):
            yield from one_of(f"{path}[{index}]", action, _ACTIONS)
            if action in seen:
                yield duplicate(f"{path}[{index}]", action)
            seen.add(action)
        if {"Deny", "Warn"} <= seen:
            why = "must not contain both Deny and Warn (repeating the same validation failure"
            yield invalid_value(
                path,
                actions,
                f"{why} information in the API response and headers serves no purpose)",
            )
        if not actions:
            yield required(path, "at least one validation action is required")

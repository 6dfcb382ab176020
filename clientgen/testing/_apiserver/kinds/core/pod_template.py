"""PodTemplate: a template for pods by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

from ...tables.columns import NAME, Column, Printer
from ...tables.selector_text import labels_text
from ..shared.pod_templates import template_causes
from ..shared.pod_warnings import is_same_generation, template_warnings
from ..shared.workload_columns import template_columns
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

_COLUMNS: Final = (
    NAME,
    *template_columns("template", priority=0),
    Column(
        "Pod Labels",
        "The labels Pods made from it get.",
        lambda view: labels_text(view.at("template", "metadata", "labels")),
    ),
)


class PodTemplateStrategy(Strategy):
    """The strategy for PodTemplates."""

    delete_returns_object = True
    generation_fields = ("template",)
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the template."""
        yield from template_causes(part(obj, "template"), "template")

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual members of the template."""
        if not is_same_generation(new, old):
            yield from template_warnings(part(new, "template"), "template")

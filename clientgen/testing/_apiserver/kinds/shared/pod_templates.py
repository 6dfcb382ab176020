"""Pod templates, and the selectors of the workloads that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.labels import annotations_causes, labels_causes, selects
from clientgen._json import part

from .common_checks import selector_causes
from .pod_annotations import annotation_causes
from .pod_spec import pod_spec_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

UNMATCHED: Final = "`selector` does not match template `labels`"
"""The cause for templates whose pods would not be selected."""


def template_causes(template: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a pod template."""
    metadata = part(template, "metadata")
    yield from labels_causes(metadata.get("labels"), f"{field}.labels")
    annotations = metadata.get("annotations")
    yield from annotations_causes(annotations, f"{field}.annotations")
    yield from annotation_causes(annotations or {}, part(template, "spec"), f"{field}.annotations")
    spec = dict(part(template, "spec"))
    if spec.pop("ephemeralContainers", None):
        why = "ephemeral containers not allowed in pod template"
        yield forbidden_value(f"{field}.spec.ephemeralContainers", why)
    yield from pod_spec_causes(spec, f"{field}.spec")


def running_template_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check the template of a workload that keeps pods running."""
    template = part(spec, "template")
    yield from template_causes(template, f"{field}.template")
    pod = part(template, "spec")
    policy = pod.get("restartPolicy")
    if policy in ("Never", "OnFailure"):
        at = f"{field}.template.spec.restartPolicy"
        yield not_supported(at, policy, ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        why = "activeDeadlineSeconds in ReplicaSet is not Supported"
        yield forbidden_value(f"{field}.template.spec.activeDeadlineSeconds", why)


def template_selector_causes(
    spec: dict[str, Any], kind: str, *, needed: bool = True
) -> Iterator[Cause]:
    """Check that the selector of a workload selects the pods of its template."""
    selector = spec.get("selector")
    labels = part(part(spec, "template"), "metadata").get("labels")
    unmatched = invalid_value("spec.template.metadata.labels", labels, UNMATCHED)
    if selector is None:
        if needed:
            yield required("spec.selector")
        yield unmatched
        return
    problems = list(selector_causes(selector, "spec.selector"))
    yield from problems
    if not any(selector.values()):
        yield invalid_value("spec.selector", {}, f"empty selector is invalid for {kind}")
    if problems:
        yield invalid_value("spec.selector", selector, "invalid label selector")
    elif not selects(selector, labels or {}):
        yield unmatched

"""Prepares workloads for creation and update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part

from .strategies import on_create

if TYPE_CHECKING:
    from ..object_reader import ObjectReader

__all__: list[str] = []

_CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"


@on_create("batch", "jobs")
def _create_job(job: dict[str, Any], reader: ObjectReader) -> None:
    """A job finds its pods by its uid, unless its author says how."""
    del reader
    spec, metadata = job["spec"], job["metadata"]
    template = part(spec, "template")
    if spec.get("manualSelector"):
        return
    own = {
        "controller-uid": metadata["uid"],
        "job-name": metadata["name"],
        _CONTROLLER_UID: metadata["uid"],
        "batch.kubernetes.io/job-name": metadata["name"],
    }
    labels = part(part(template, "metadata"), "labels")
    # Labels that a job has from its template are the very same ones.
    if part(metadata, "labels") == labels:
        metadata["labels"] = {**labels, **_added(labels, own)}
    labelled = {**part(template, "metadata"), "labels": {**labels, **_added(labels, own)}}
    spec["template"] = {**template, "metadata": labelled}
    selector = part(spec, "selector")
    matched = part(selector, "matchLabels")
    if _CONTROLLER_UID not in matched:
        spec["selector"] = {
            **selector,
            "matchLabels": {**matched, _CONTROLLER_UID: metadata["uid"]},
        }


def _added(labels: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in own.items() if key not in labels}

"""Job: pods that run to completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.labels import selects
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts
from clientgen.runtime._printing.human_durations import human_duration, moment

from ...tables.columns import AGE, NAME, Column, Printer, View
from .. import selector_fields
from ..defaults import TypeDefaults, set_empty, set_missing
from ..metadata import MetadataChecks
from ..shared.common_checks import immutable, is_not_negative, selector_causes
from ..shared.pod_warnings import is_same_generation, name_warnings
from ..shared.replica_counts import counts
from ..shared.workload_columns import TEMPLATE_COLUMNS, selector_column
from ..strategy import Strategy
from .job_policies import counted
from .job_specs import job_spec_causes, job_spec_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"
_UNMATCHED: Final = "`selector` does not match template `labels`"
_NO_LIMIT: Final = 2**31 - 1
_STATUS_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_STATES: Final = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),  # when deletion was asked for
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _state(view: View) -> str:
    held = {
        condition.get("type"): condition.get("status") == "True"
        for condition in reversed(view.items("status", "conditions"))
    }
    for condition, shown in _STATES:
        if held.get(condition) if condition else view.terminating:
            return shown
    return "Running"


def _completions(view: View) -> str:
    done = view.at("status", "succeeded") or 0
    wanted = view.at("spec", "completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallelism = view.at("spec", "parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _duration(view: View) -> str:
    start = moment(view.at("status", "startTime"))
    end = moment(view.at("status", "completionTime")) or view.now
    return "" if start is None else human_duration((end - start).total_seconds())


_COLUMNS: Final = (
    NAME,
    Column("Status", "How the job goes.", _state),
    Column("Completions", "How many Pods succeeded.", _completions, doc="status.succeeded"),
    Column("Duration", "How long it ran, or has been running.", _duration),
    AGE,
    *TEMPLATE_COLUMNS,
    selector_column(),
)


def _set_defaults(job: dict[str, Any]) -> None:
    spec = job.setdefault("spec", {})
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    per_index = spec.get("backoffLimitPerIndex") is not None
    replaced = "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
    set_missing(
        spec,
        parallelism=1,
        backoffLimit=_NO_LIMIT if per_index else 6,
        completionMode="NonIndexed",
        suspend=False,
        manualSelector=False,
        podReplacementPolicy=replaced,
    )
    labels = part(part(spec, "template"), "metadata").get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"]["labels"] = dict(labels)


def _set_pattern_defaults(pattern: dict[str, Any]) -> None:
    set_empty(pattern, status="True")


_IMPOSSIBLE: Final = {
    "completedIndexes": "cannot set non-empty completedIndexes when non-indexed completion mode",
    "failedIndexes": "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
}


class JobStrategy(Strategy):
    """The strategy for Jobs."""

    types = {
        "batch.v1.Job": TypeDefaults(fill=_set_defaults),
        "batch.v1.PodFailurePolicyOnPodConditionsPattern": TypeDefaults(fill=_set_pattern_defaults),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    generation_fields = ("spec",)
    orphan_by_default = True
    deletion_warning = (
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
        "suppress this warning"
    )
    selectable_fields = {"status.successful": selector_fields.number("status.succeeded")}
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Select the pods of the job by its uid, unless its author selects them."""
        spec, metadata = obj["spec"], obj["metadata"]
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
        # Labels that the job got from its template change with those of the template.
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

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the spec, the selector and the names of the pods."""
        spec = obj["spec"]
        yield from job_spec_causes(spec, "spec")
        yield from _selector(spec, obj["metadata"].get("uid", ""))
        completions = spec.get("completions") or 0
        if spec.get("completionMode") == "Indexed" and completions > 0:
            name = obj["metadata"].get("name") or ""
            longest = f"{name}-{completions - 1}"
            if label_problems(longest):
                why = f"will not able to create pod with invalid DNS label: {longest}"
                yield invalid_value("metadata.name", name, why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the new job, then keep most of the spec."""
        yield from self.validate(new)
        after, before = new["spec"], old["spec"]
        yield from job_spec_causes(after, "spec")
        yield from is_not_negative("spec.parallelism", after.get("parallelism"))
        indexed = after.get("completionMode") == "Indexed"
        scaled = after.get("completions") == after.get("parallelism")
        if not (indexed and scaled):
            yield from immutable(
                "spec.completions", after.get("completions"), before.get("completions")
            )
        if after.get("selector") != before.get("selector"):
            yield from immutable("spec.selector", after.get("selector"), before.get("selector"))
        if not before.get("suspend"):
            yield from immutable("spec.template", after.get("template"), before.get("template"))
        for member in (
            "completionMode",
            "podFailurePolicy",
            "backoffLimitPerIndex",
            "managedBy",
            "successPolicy",
        ):
            yield from immutable(f"spec.{member}", after.get(member), before.get(member))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods, the indexes and the end of the job."""
        status, before = part(new, "status"), part(old, "status")
        yield from counts(status, _STATUS_COUNTS)
        yield from _indexes(status, before, part(new, "spec"))
        ready, active = status.get("ready"), status.get("active") or 0
        if ready is not None and ready > active:
            yield invalid_value("status.ready", ready, "cannot set more ready pods than active")
        for member in ("succeeded", "failed"):
            number = status.get(member) or 0
            if number < (before.get(member) or 0):
                why = f"cannot decrease the {member} counter"
                yield invalid_value(f"status.{member}", number, why)
        yield from _finished(status)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of the name, of many indexes and of the template."""
        if old is None:
            yield from name_warnings(new)
        if not is_same_generation(new, old):
            yield from job_spec_warnings(new["spec"], "spec")


def _added(labels: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in own.items() if key not in labels}


def _selector(spec: dict[str, Any], uid: str) -> Iterator[Cause]:
    selector = spec.get("selector")
    labels = part(part(part(spec, "template"), "metadata"), "labels")
    if selector is None:
        yield required("spec.selector")
        yield invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)
        return
    problems = list(selector_causes(selector, "spec.selector"))
    yield from problems
    if not spec.get("manualSelector"):
        expected = {"matchLabels": {_CONTROLLER_UID: uid}}
        if {key: value for key, value in selector.items() if value} != expected:
            yield invalid_value("spec.selector", selector, "`selector` not auto-generated")
    if not problems and not selects(selector, labels):
        yield invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)


def _indexes(
    status: dict[str, Any], before: dict[str, Any], spec: dict[str, Any]
) -> Iterator[Cause]:
    """Check the indexes of the pods that are done or have failed, if they change."""
    own = {
        "completedIndexes": spec.get("completionMode") == "Indexed",
        "failedIndexes": spec.get("backoffLimitPerIndex") is not None,
    }
    for member, is_possible in own.items():
        named = status.get(member)
        if named == before.get(member):
            continue
        _, problem = counted(named or "", spec.get("completions") or 0)
        if problem and spec.get("completions") is not None:
            why = f"error parsing {member}: {problem}"
            yield invalid_value(f"status.{member}", named, why)
        if not is_possible and (named or (named is not None and member == "failedIndexes")):
            yield invalid_value(f"status.{member}", named, _IMPOSSIBLE[member])


def _finished(status: dict[str, Any]) -> Iterator[Cause]:
    """Check that a job that is done has its start, and a complete one its end."""
    true = {each.get("type") for each in parts(status, "conditions") if each["status"] == "True"}
    if true & {"Complete", "Failed"} and not status.get("startTime"):
        yield required("status.startTime", "startTime is required for finished job")
    if "Complete" in true and not status.get("completionTime"):
        why = "completionTime is required for Complete jobs"
        yield required("status.completionTime", why)
    elif "Complete" not in true and status.get("completionTime"):
        why = "cannot set completionTime when there is no Complete=True condition"
        yield invalid_value("status.completionTime", status["completionTime"], why)
    for finished, criterion in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget")):
        if finished in true and criterion not in true:
            why = f"cannot set {finished}=True condition without the {criterion}=true condition"
            yield invalid_value("status.conditions", parts(status, "conditions"), why)

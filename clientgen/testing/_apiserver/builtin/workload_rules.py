"""Validates workloads of the apps group and ReplicationControllers, and their changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.shared.checks import immutable, is_not_negative, one_of, selector_causes, selects, text
from ..kinds.shared.pod_annotations import annotation_causes
from ..kinds.shared.replicas import count_or_percent
from ..kinds.shared.volume_claims import claim_causes
from .pod_rules import pod_spec_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["count_or_percent", "template_causes"]

_UNMATCHED: Final = "`selector` does not match template `labels`"
_ROLLING: Final = "RollingUpdate"
_WHOLE: Final = 100
_CHANGEABLE_SETS: Final = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)


_NAMED_BY_SET: Final = ("spec.template.spec.hostname", "spec.template.spec.subdomain")
"""Fields that a stateful set sets in its pods, overriding the template."""


# ------------------------------------------------------------------------------ templates


def template_causes(template: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with a pod template, whoever has it."""
    metadata = part(template, "metadata")
    yield from labels_causes(metadata.get("labels"), f"{field}.labels")
    annotations = metadata.get("annotations")
    yield from annotations_causes(annotations, f"{field}.annotations")
    yield from annotation_causes(annotations or {}, part(template, "spec"), f"{field}.annotations")
    spec = dict(part(template, "spec"))
    if spec.pop("ephemeralContainers", None):
        said = "ephemeral containers not allowed in pod template"
        yield forbidden_value(f"{field}.spec.ephemeralContainers", said)
    yield from pod_spec_causes(spec, f"{field}.spec")


def _template(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """The template of something that keeps pods running."""
    template = part(spec, "template")
    yield from template_causes(template, f"{field}.template")
    pod = part(template, "spec")
    policy = pod.get("restartPolicy")
    if policy in ("Never", "OnFailure"):
        at = f"{field}.template.spec.restartPolicy"
        yield not_supported(at, policy, ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        said = "activeDeadlineSeconds in ReplicaSet is not Supported"
        yield forbidden_value(f"{field}.template.spec.activeDeadlineSeconds", said)


def _selector(spec: dict[str, Any], kind: str, *, needed: bool = True) -> Iterator[Cause]:
    selector = spec.get("selector")
    labels = part(part(spec, "template"), "metadata").get("labels")
    unmatched = invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)
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


def _counts(spec: dict[str, Any], *fields: str) -> Iterator[Cause]:
    for field in fields:
        yield from is_not_negative(f"spec.{field}", spec.get(field))


def _is_none(value: int | str | None) -> bool:
    return value in (0, "0%", None)


# ---------------------------------------------------------------------------- deployments


@checks("apps", "deployments")
def _deployment(deployment: dict[str, Any]) -> Iterator[Cause]:
    spec = deployment["spec"]
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    yield from _counts(spec, "replicas")
    yield from _selector(spec, "deployment")
    yield from _template(spec, "spec")
    yield from _deployment_strategy(spec["strategy"], "spec.strategy")
    yield from _counts(spec, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    if deadline is not None and deadline <= ready:
        said = "must be greater than minReadySeconds"
        yield invalid_value("spec.progressDeadlineSeconds", deadline, said)


def _deployment_strategy(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            said = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden_value(f"{field}.rollingUpdate", said)
        return
    if kind != _ROLLING:
        yield not_supported(field, strategy, ("Recreate", _ROLLING))
        return
    if rolling is None:
        yield required(f"{field}.rollingUpdate", "this should be defaulted and never be nil")
        return
    at, most, surge = f"{field}.rollingUpdate", rolling["maxUnavailable"], rolling["maxSurge"]
    yield from count_or_percent(f"{at}.maxUnavailable", most)
    yield from count_or_percent(f"{at}.maxSurge", surge, whole=False)
    if _is_none(most) and _is_none(surge):
        said = "may not be 0 when `maxSurge` is 0"
        yield invalid_value(f"{at}.maxUnavailable", most, said)


@checks_change("apps", "deployments", "replicasets", "daemonsets")
def _same_selector(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"].get("selector"), old["spec"].get("selector")
    yield from immutable("spec.selector", after, before)


# --------------------------------------------------------------------------- replica sets


@checks("apps", "replicasets")
def _replica_set(replica_set: dict[str, Any]) -> Iterator[Cause]:
    spec = replica_set["spec"]
    yield from _counts(spec, "replicas", "minReadySeconds")
    yield from _selector(spec, "deployment")
    yield from _template(spec, "spec")


@checks("", "replicationcontrollers")
def _controller(controller: dict[str, Any]) -> Iterator[Cause]:
    spec = controller["spec"]
    selector, template = spec.get("selector"), spec.get("template")
    yield from _counts(spec, "minReadySeconds", "replicas")
    if not selector:
        yield required("spec.selector")
    if template is None:
        yield required("spec.template")
        return
    labels = part(part(template, "metadata"), "labels")
    if selector and not selects({"matchLabels": selector}, labels):
        yield invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)
    yield from _template(spec, "spec")


# ----------------------------------------------------------------------------- daemon sets


@checks("apps", "daemonsets")
def _daemon_set(daemon_set: dict[str, Any]) -> Iterator[Cause]:
    spec = daemon_set["spec"]
    yield from _selector(spec, "daemonset", needed=False)
    yield from _template(spec, "spec")
    yield from _daemon_strategy(spec["updateStrategy"], "spec.updateStrategy")
    yield from _counts(spec, "minReadySeconds", "revisionHistoryLimit")


def _daemon_strategy(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind not in (_ROLLING, "OnDelete"):
        yield not_supported(field, strategy, (_ROLLING, "OnDelete"))
    if kind != _ROLLING or rolling is None:
        return
    at, most, surge = f"{field}.rollingUpdate", rolling["maxUnavailable"], rolling["maxSurge"]
    yield from count_or_percent(f"{at}.maxUnavailable", most)
    yield from count_or_percent(f"{at}.maxSurge", surge)
    if _is_none(most) and _is_none(surge):
        yield required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0")
    elif not _is_none(most) and not _is_none(surge):
        said = "may not be set when maxUnavailable is non-zero"
        yield invalid_value(f"{at}.maxSurge", surge, said)


# --------------------------------------------------------------------------- stateful sets


@checks("apps", "statefulsets")
def _stateful_set(stateful_set: dict[str, Any]) -> Iterator[Cause]:
    spec = stateful_set["spec"]
    policy = spec.get("podManagementPolicy")
    if policy not in ("OrderedReady", "Parallel"):
        said = "must be 'OrderedReady' or 'Parallel'"
        yield invalid_value("spec.podManagementPolicy", policy, said)
    yield from _set_strategy(spec["updateStrategy"], "spec.updateStrategy")
    retention = part(spec, "persistentVolumeClaimRetentionPolicy")
    for event in ("whenDeleted", "whenScaled"):
        at = f"spec.persistentVolumeClaimRetentionPolicy.{event}"
        yield from one_of(at, retention.get(event), ("Retain", "Delete"))
    yield from _counts(spec, "replicas", "minReadySeconds")
    yield from is_not_negative("spec.ordinals.start", part(spec, "ordinals").get("start"))
    yield from text("spec.serviceName", spec.get("serviceName"), label_problems, needed=False)
    yield from _selector(spec, "statefulset")
    for cause in _template(_with_claims(spec), "spec"):
        if cause.field not in _NAMED_BY_SET:
            yield cause


@checks("apps", "statefulsets", again=False)
def _claims(stateful_set: dict[str, Any]) -> Iterator[Cause]:
    for index, claim in enumerate(parts(stateful_set["spec"], "volumeClaimTemplates")):
        yield from claim_causes(claim["spec"], f"spec.volumeClaimTemplates[{index}].spec")


def _with_claims(spec: dict[str, Any]) -> dict[str, Any]:
    """A stateful set whose pods have the volumes that it claims for them."""
    names = [part(each, "metadata").get("name") for each in parts(spec, "volumeClaimTemplates")]
    template = part(spec, "template")
    pod = part(template, "spec")
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    volumes += [each for each in parts(pod, "volumes") if each.get("name") not in names]
    return {**spec, "template": {**template, "spec": {**pod, "volumes": volumes}}}


def _set_strategy(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == _ROLLING:
        at = f"{field}.rollingUpdate"
        yield from is_not_negative(
            f"{at}.partition", part(strategy, "rollingUpdate").get("partition")
        )
        most = part(strategy, "rollingUpdate").get("maxUnavailable")
        yield from count_or_percent(f"{at}.maxUnavailable", most)
    elif kind != "OnDelete":
        yield invalid_value(field, strategy, f"must be '{_ROLLING}' or 'OnDelete'")
    elif rolling is not None:
        said = f"only allowed for updateStrategy '{_ROLLING}'"
        yield invalid_value(f"{field}.rollingUpdate", rolling, said)


@checks_change("apps", "statefulsets")
def _set_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    fixed = [
        {key: value for key, value in each["spec"].items() if key not in _CHANGEABLE_SETS}
        for each in (new, old)
    ]
    if fixed[0] != fixed[1]:
        listed = ", ".join(f"'{field}'" for field in _CHANGEABLE_SETS[:-1])
        said = f"updates to statefulset spec for fields other than {listed} and 'minReadySeconds'"
        yield forbidden_value("spec", f"{said} are forbidden")


@checks("", "podtemplates")
def _pod_template(template: dict[str, Any]) -> Iterator[Cause]:
    yield from template_causes(part(template, "template"), "template")


@checks("apps", "controllerrevisions")
def _revision(revision: dict[str, Any]) -> Iterator[Cause]:
    if revision.get("data") is None:
        yield required("data", "data is mandatory")
    yield from is_not_negative("revision", revision.get("revision"))


@checks_change("apps", "controllerrevisions")
def _revision_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    # A new number would be told as a change of the data, which is what it is about.
    if (new.get("data"), new.get("revision")) != (old.get("data"), old.get("revision")):
        yield invalid_value("data", new.get("data"), "field is immutable")

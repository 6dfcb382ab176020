"""The validation of Pods, beyond that of their specs (API reference, Pod)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._apimachinery.name_syntax import ip_problems, range_problems, subdomain_problems
from clientgen._json import part, parts

from ...shared.common_checks import matches, text
from ...shared.container_validation import container_causes, image_causes
from ...shared.pod_annotations import annotation_causes, annotation_change_causes
from ...shared.pod_spec import free_name_causes, pod_spec_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_INT32: Final = 2**31 - 1
_NOT_EPHEMERAL: Final = (
    "ports",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "resources",
)
_CHANGEABLE: Final = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
_FIXED: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
    "be set to 1 if it was previously negative)"
)


def pod_causes(pod: dict[str, Any]) -> Iterator[Cause]:
    """Check annotations and spec."""
    annotations = part(pod["metadata"], "annotations")
    yield from annotation_causes(annotations, pod["spec"], "metadata.annotations")
    yield from pod_spec_causes(pod["spec"], "spec")
    yield from _token_causes(pod["spec"], "spec.volumes")
    for index, volume in enumerate(parts(pod["spec"], "volumes")):
        if volume.get("image") is not None and not volume["image"].get("reference"):
            yield required(f"spec.volumes[{index}].image.reference")


def create_causes(pod: dict[str, Any]) -> Iterator[Cause]:
    """Refuse what only an existing pod can have."""
    if pod["spec"].get("ephemeralContainers"):
        yield forbidden_value("spec.ephemeralContainers", "cannot be set on create")
    if pod["spec"].get("nodeName") and pod["spec"].get("schedulingGates"):
        why = "cannot be set until all schedulingGates have been cleared"
        yield forbidden_value("spec.nodeName", why)


def _token_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Refuse tokens without a service account, which the ServiceAccount plugin would name."""
    if spec.get("serviceAccountName"):
        return
    for index, volume in enumerate(parts(spec, "volumes")):
        for number, source in enumerate(parts(part(volume, "projected"), "sources")):
            if source.get("serviceAccountToken") is not None:
                at = f"{field}[{index}].projected.sources[{number}].serviceAccountToken"
                yield forbidden_value(
                    at, "must not be specified when serviceAccountName is not set"
                )


def update_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Check that only images, the deadline, tolerations and gates change."""
    after, before = new["spec"], old["spec"]
    yield from annotation_change_causes(new, old)
    for member in ("containers", "initContainers"):
        if len(parts(after, member)) != len(parts(before, member)):
            yield forbidden_value(f"spec.{member}", "pod updates may not add or remove containers")
            return
    for member in ("containers", "initContainers"):
        for index, container in enumerate(parts(after, member)):
            image = container.get("image") or ""
            yield from image_causes(image, f"spec.{member}[{index}].image")
    yield from _deadline(after, before)
    yield from _more_tolerations(after, before)
    yield from _fewer_gates(after, before)
    if parts(before, "schedulingGates"):
        yield from _gated(after, before)
        after = _ungated(after, before)
    if _fixed_part(after) != _fixed_part(before):
        yield forbidden_value("spec", _FIXED)


def _gated(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Check that a pod that waits behind gates narrows its choice of nodes."""
    after, before = part(new, "nodeSelector"), part(old, "nodeSelector")
    for key, value in before.items():
        if after.get(key) != value:
            why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            yield invalid_value("spec.nodeSelector", new.get("nodeSelector"), why)
    known, terms = _terms(old), _terms(new)
    at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    at = f"{at}.nodeSelectorTerms"
    if known and len(terms) != len(known):
        why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        yield invalid_value(at, terms or None, why)
        return
    for index, (term, was) in enumerate(zip(terms, known, strict=False)):
        if not _only_adds(term, was):
            why = "only additions are allowed (no mutations or deletions)"
            yield invalid_value(f"{at}[{index}]", term, why)


def _terms(spec: dict[str, Any]) -> list[dict[str, Any]]:
    affinity = part(part(spec, "affinity"), "nodeAffinity")
    needed = part(affinity, "requiredDuringSchedulingIgnoredDuringExecution")
    return parts(needed, "nodeSelectorTerms")


def _only_adds(new: dict[str, Any], old: dict[str, Any]) -> bool:
    members = ("matchExpressions", "matchFields")
    if not any(old.get(member) for member in members):
        return not any(new.get(member) for member in members)
    return all(parts(new, each)[: len(parts(old, each))] == parts(old, each) for each in members)


def _ungated(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return the spec with the choice of nodes that it had before."""
    affinity = {k: v for k, v in part(new, "affinity").items() if k != "nodeAffinity"}
    nodes = part(old, "affinity").get("nodeAffinity")
    if nodes is not None:
        affinity["nodeAffinity"] = nodes
    kept = {k: v for k, v in new.items() if k not in ("affinity", "nodeSelector")}
    if affinity or old.get("affinity") is not None:
        kept["affinity"] = affinity
    return kept | ({"nodeSelector": old["nodeSelector"]} if "nodeSelector" in old else {})


def _deadline(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    field = "spec.activeDeadlineSeconds"
    if after is not None and after != before:
        for problem in range_problems(after, 0, _MAX_INT32):
            yield invalid_value(field, after, problem)
        if before is not None and 0 <= before < after:
            yield invalid_value(field, after, "must be less than or equal to previous value")
    elif after is None and before is not None:
        yield invalid_value(field, after, "must not update from a positive integer to nil value")


def _more_tolerations(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = parts(new, "tolerations"), parts(old, "tolerations")
    shown = [{**each, "tolerationSeconds": None} for each in after]
    if any({**each, "tolerationSeconds": None} not in shown for each in before):
        why = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden_value("spec.tolerations", why)


def _fewer_gates(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    before = [gate.get("name") for gate in parts(old, "schedulingGates")]
    for index, gate in enumerate(parts(new, "schedulingGates")):
        if gate.get("name") not in before:
            why = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            yield forbidden_value(f"spec.schedulingGates[{index}].name", why)


def _fixed_part(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a spec that cannot change."""
    fixed = {key: value for key, value in spec.items() if key not in _CHANGEABLE}
    for member in ("containers", "initContainers"):
        fixed[member] = [
            {key: value for key, value in container.items() if key != "image"}
            for container in parts(spec, member)
        ]
    return fixed


def status_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Check the addresses and the quality of service in a status."""
    after, before = part(new, "status"), part(old, "status")
    node = after.get("nominatedNodeName")
    yield from text("status.nominatedNodeName", node, subdomain_problems, needed=False)
    if before.get("qosClass") and after.get("qosClass") != before["qosClass"]:
        yield invalid_value("status.qosClass", after.get("qosClass"), "field is immutable")
    for several in ("podIPs", "hostIPs"):
        for index, address in enumerate(parts(after, several)):
            yield from matches(f"status.{several}[{index}]", address.get("ip") or "", ip_problems)


def ephemeral_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Check that ephemeral containers are only added."""
    spec = new["spec"]
    volumes = {volume.get("name") or "": volume for volume in parts(spec, "volumes")}
    names = {
        each["name"] for member in ("containers", "initContainers") for each in parts(spec, member)
    }
    regular = frozenset(names)
    containers = parts(spec, "ephemeralContainers")
    for index, container in enumerate(containers):
        at = f"spec.ephemeralContainers[{index}]"
        for member in _NOT_EPHEMERAL:
            if container.get(member):
                yield forbidden_value(f"{at}.{member}", "cannot be set for an Ephemeral Container")
        plain = {key: value for key, value in container.items() if key not in _NOT_EPHEMERAL}
        yield from container_causes(plain, at, volumes, {**spec, "hostNetwork": False})
        yield from free_name_causes(container, at, names)
        names.add(container.get("name") or "")
        target = container.get("targetContainerName")
        if target and target not in regular:
            path = f"{at}.targetContainerName"
            yield Cause("FieldValueNotFound", f'Not found: "{target}"', path)
    for before in parts(old["spec"], "ephemeralContainers"):
        if before not in containers:
            why = f'existing ephemeral containers "{before["name"]}" may not be removed or changed'
            yield forbidden_value("spec.ephemeralContainers", why)

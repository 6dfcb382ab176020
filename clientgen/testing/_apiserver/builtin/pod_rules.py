"""Validates Pods and their changes (API reference, Pod; "Pod update and replacement")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.labels import labels_causes
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    label_problems,
    qualified_name_problems,
    range_problems,
    subdomain_problems,
    underscored_problems,
)
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import matches, one_of, text
from ..kinds.shared.container_resources import pod_resource_causes, resource_causes
from ..kinds.shared.containers import container_causes, image_causes
from ..kinds.shared.operating_systems import system_causes
from ..kinds.shared.pod_annotations import annotation_causes, annotation_change_causes
from ..kinds.shared.pod_scheduling import (
    affinity_causes,
    gates_causes,
    spread_causes,
    tolerations_causes,
)
from ..kinds.shared.security_context import pod_security_causes
from ..kinds.shared.volumes import volumes_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pod_spec_causes"]

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_POLICIES: Final = ("PreemptLowerPriority", "Never")
_MOST: Final = 2**31 - 1
_MOST_NAMESERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_MOST_SEARCH_CHARACTERS: Final = 2048
_LONGEST_HOSTNAME: Final = 64
_CLAIM_SOURCES: Final = ("resourceClaimName", "resourceClaimTemplateName")
_INIT_ONLY_WITH_RESTART: Final = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
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


# --------------------------------------------------------------------------------- create


@checks("", "pods")
def _pod(pod: dict[str, Any]) -> Iterator[Cause]:
    annotations = part(pod["metadata"], "annotations")
    yield from annotation_causes(annotations, pod["spec"], "metadata.annotations")
    yield from pod_spec_causes(pod["spec"], "spec")
    yield from _tokens(pod["spec"], "spec.volumes")
    for index, volume in enumerate(parts(pod["spec"], "volumes")):
        if volume.get("image") is not None and not volume["image"].get("reference"):
            yield required(f"spec.volumes[{index}].image.reference")


@checks("", "pods", again=False)
def _new_pod(pod: dict[str, Any]) -> Iterator[Cause]:
    if pod["spec"].get("ephemeralContainers"):
        yield forbidden_value("spec.ephemeralContainers", "cannot be set on create")
    if pod["spec"].get("nodeName") and pod["spec"].get("schedulingGates"):
        said = "cannot be set until all schedulingGates have been cleared"
        yield forbidden_value("spec.nodeName", said)


def pod_spec_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with a pod, or with the pods of a template."""
    volumes = parts(spec, "volumes")
    named: dict[str, Any] = {}
    yield from volumes_causes(volumes, f"{field}.volumes", named)
    yield from _claims(parts(spec, "resourceClaims"), f"{field}.resourceClaims")
    yield from _containers(spec, field, named)
    yield from pod_resource_causes(spec, field)
    yield from one_of(f"{field}.restartPolicy", spec.get("restartPolicy"), _RESTARTS)
    yield from _dns(spec, field)
    yield from labels_causes(spec.get("nodeSelector"), f"{field}.nodeSelector")
    yield from _names(spec, field)
    yield from pod_security_causes(spec, f"{field}.securityContext")
    yield from affinity_causes(spec.get("affinity"), f"{field}.affinity")
    yield from tolerations_causes(parts(spec, "tolerations"), f"{field}.tolerations")
    yield from _aliases(parts(spec, "hostAliases"), f"{field}.hostAliases")
    yield from spread_causes(
        parts(spec, "topologySpreadConstraints"), f"{field}.topologySpreadConstraints"
    )
    yield from gates_causes(parts(spec, "schedulingGates"), f"{field}.schedulingGates")
    for index, gate in enumerate(parts(spec, "readinessGates")):
        at = f"{field}.readinessGates[{index}].conditionType"
        yield from matches(at, gate.get("conditionType") or "", qualified_name_problems)
    yield from _rest(spec, field)


def _containers(spec: dict[str, Any], field: str, volumes: dict[str, Any]) -> Iterator[Cause]:
    containers = parts(spec, "containers")
    if not containers:
        yield required(f"{field}.containers")
    names: set[str] = set()
    for index, container in enumerate(containers):
        at = f"{field}.containers[{index}]"
        yield from container_causes(container, at, volumes, spec)
        yield from _name_is_free(container, at, names)
        names.add(container.get("name") or "")
    yield from _host_ports(containers, f"{field}.containers")
    for index, container in enumerate(parts(spec, "initContainers")):
        at = f"{field}.initContainers[{index}]"
        yield from _init_container(container, at)
        yield from container_causes(_without(container), at, volumes, spec)
        if (container.get("name") or "") in names:
            yield duplicate(f"{at}.name", container.get("name") or "")
        names.add(container.get("name") or "")


def _name_is_free(container: dict[str, Any], field: str, names: set[str]) -> Iterator[Cause]:
    name = container.get("name") or ""
    if name and name in names:
        yield duplicate(f"{field}.name", name)


def _host_ports(containers: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """A port of the host is for one container only."""
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(parts(container, "ports")):
            if not port.get("hostPort"):
                continue
            key = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if key in taken:
                yield duplicate(f"{field}[{index}].ports[{number}].hostPort", key)
            taken.add(key)


def _is_sidecar(container: dict[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def _without(container: dict[str, Any]) -> dict[str, Any]:
    """What an init container must not have is told once, not looked into."""
    if _is_sidecar(container):
        return container
    return {key: value for key, value in container.items() if key not in _INIT_ONLY_WITH_RESTART}


def _init_container(container: dict[str, Any], field: str) -> Iterator[Cause]:
    if not _is_sidecar(container):
        for member in _INIT_ONLY_WITH_RESTART:
            if container.get(member) is not None:
                said = "may not be set for init containers without restartPolicy=Always"
                yield forbidden_value(f"{field}.{member}", said)


def _dns(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from one_of(f"{field}.dnsPolicy", spec.get("dnsPolicy"), _DNS)
    config = spec.get("dnsConfig")
    servers = texts(part(spec, "dnsConfig"), "nameservers")
    if spec.get("dnsPolicy") == "None" and config is None:
        said = "must provide `dnsConfig` when `dnsPolicy` is None"
        yield required(f"{field}.dnsConfig", said)
    elif spec.get("dnsPolicy") == "None" and not servers:
        said = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield required(f"{field}.dnsConfig.nameservers", said)
    if len(servers) > _MOST_NAMESERVERS:
        said = f"must not have more than {_MOST_NAMESERVERS} nameservers"
        yield invalid_value(f"{field}.dnsConfig.nameservers", servers, said)
    for index, server in enumerate(servers):
        yield from matches(f"{field}.dnsConfig.nameservers[{index}]", server, ip_problems)
    yield from _searches(part(spec, "dnsConfig"), f"{field}.dnsConfig")


def _searches(config: dict[str, Any], field: str) -> Iterator[Cause]:
    searches = texts(config, "searches")
    if len(searches) > _MOST_SEARCHES:
        said = f"must not have more than {_MOST_SEARCHES} search paths"
        yield invalid_value(f"{field}.searches", searches, said)
    if len(" ".join(searches)) > _MOST_SEARCH_CHARACTERS:
        said = (
            f"must not have more than {_MOST_SEARCH_CHARACTERS} characters (including spaces) "
            "in the search list"
        )
        yield invalid_value(f"{field}.searches", searches, said)
    for index, search in enumerate(searches):
        if search != ".":
            name = search.removesuffix(".")
            yield from matches(f"{field}.searches[{index}]", name, underscored_problems)
    for index, option in enumerate(parts(config, "options")):
        if not option.get("name"):
            yield required(f"{field}.options[{index}]", "must not be empty")


def _names(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, rule in (
        ("serviceAccountName", subdomain_problems),
        ("nodeName", subdomain_problems),
        ("hostname", label_problems),
        ("subdomain", label_problems),
        ("priorityClassName", subdomain_problems),
    ):
        yield from text(f"{field}.{member}", spec.get(member), rule, needed=False)
    runtime = spec.get("runtimeClassName")
    if runtime is not None:
        yield from matches(f"{field}.runtimeClassName", runtime, subdomain_problems)


def _aliases(aliases: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    for index, alias in enumerate(aliases):
        at = f"{field}[{index}]"
        yield from matches(f"{at}.ip", alias.get("ip") or "", ip_problems)
        for number, name in enumerate(texts(alias, "hostnames")):
            yield from matches(f"{at}.hostnames[{number}]", name, subdomain_problems)


def _tokens(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """A token is for a service account, which the ServiceAccount plugin would have named."""
    if spec.get("serviceAccountName"):
        return
    for index, volume in enumerate(parts(spec, "volumes")):
        for number, source in enumerate(parts(part(volume, "projected"), "sources")):
            if source.get("serviceAccountToken") is not None:
                at = f"{field}[{index}].projected.sources[{number}].serviceAccountToken"
                yield forbidden_value(
                    at, "must not be specified when serviceAccountName is not set"
                )


def _rest(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None:
        for problem in range_problems(deadline, 1, _MOST):
            yield invalid_value(f"{field}.activeDeadlineSeconds", deadline, problem)
    policy = spec.get("preemptionPolicy")
    if policy == "":
        yield required(f"{field}.preemptionPolicy")
    else:
        yield from one_of(f"{field}.preemptionPolicy", policy, _POLICIES, needed=False)
    if spec.get("overhead"):
        yield from resource_causes({"limits": spec["overhead"]}, f"{field}.overhead", {})
    yield from system_causes(spec, field)
    yield from _host_users(spec, field)
    if spec.get("hostnameOverride") is not None:
        yield from _hostname(spec["hostnameOverride"], spec, f"{field}.hostnameOverride")


def _host_users(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, shown in (
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ):
        if spec.get("hostUsers") is False and spec.get(member):
            yield forbidden_value(f"{field}.{shown}", "when `hostUsers` is false")


def _hostname(name: str, spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(member):
            yield forbidden_value(field, f"may not be specified when {member} is true")
    if len(name) > _LONGEST_HOSTNAME:
        yield too_long(field, f"may not be more than {_LONGEST_HOSTNAME} bytes")
    yield from matches(field, name, subdomain_problems)


def _claims(claims: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Claims of devices that a pod has or makes."""
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        at, name = f"{field}[{index}]", claim.get("name") or ""
        if not name:
            yield required(f"{at}.name")
        elif name in seen:
            yield duplicate(f"{at}.name", name)
        else:
            yield from matches(f"{at}.name", name, label_problems)
        seen.add(name)
        chosen = [member for member in _CLAIM_SOURCES if claim.get(member) is not None]
        if len(chosen) > 1:
            said = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be"
            yield invalid_value(at, claim, f"{said} specified")
        elif not chosen:
            said = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            yield invalid_value(at, claim, said)
        for member in chosen:
            yield from matches(f"{at}.{member}", claim[member], subdomain_problems)


# --------------------------------------------------------------------------------- update


@checks_change("", "pods")
def _change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
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
    """While a pod waits behind gates, its nodes may become fewer."""
    after, before = part(new, "nodeSelector"), part(old, "nodeSelector")
    for key, value in before.items():
        if after.get(key) != value:
            said = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            yield invalid_value("spec.nodeSelector", new.get("nodeSelector"), said)
    known, terms = _terms(old), _terms(new)
    at = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    at = f"{at}.nodeSelectorTerms"
    if known and len(terms) != len(known):
        said = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        yield invalid_value(at, terms or None, said)
        return
    for index, (term, was) in enumerate(zip(terms, known, strict=False)):
        if not _only_adds(term, was):
            said = "only additions are allowed (no mutations or deletions)"
            yield invalid_value(f"{at}[{index}]", term, said)


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
    """A pod with the nodes that it had before."""
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
        for problem in range_problems(after, 0, _MOST):
            yield invalid_value(field, after, problem)
        if before is not None and 0 <= before < after:
            yield invalid_value(field, after, "must be less than or equal to previous value")
    elif after is None and before is not None:
        yield invalid_value(field, after, "must not update from a positive integer to nil value")


def _more_tolerations(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = parts(new, "tolerations"), parts(old, "tolerations")
    shown = [{**each, "tolerationSeconds": None} for each in after]
    if any({**each, "tolerationSeconds": None} not in shown for each in before):
        said = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden_value("spec.tolerations", said)


def _fewer_gates(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    before = [gate.get("name") for gate in parts(old, "schedulingGates")]
    for index, gate in enumerate(parts(new, "schedulingGates")):
        if gate.get("name") not in before:
            said = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            yield forbidden_value(f"spec.schedulingGates[{index}].name", said)


def _fixed_part(spec: dict[str, Any]) -> dict[str, Any]:
    """What of a pod stays as it is."""
    fixed = {key: value for key, value in spec.items() if key not in _CHANGEABLE}
    for member in ("containers", "initContainers"):
        fixed[member] = [
            {key: value for key, value in container.items() if key != "image"}
            for container in parts(spec, member)
        ]
    return fixed


@checks_change("", "pods", part="status")
def _status_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = part(new, "status"), part(old, "status")
    node = after.get("nominatedNodeName")
    yield from text("status.nominatedNodeName", node, subdomain_problems, needed=False)
    if before.get("qosClass") and after.get("qosClass") != before["qosClass"]:
        yield invalid_value("status.qosClass", after.get("qosClass"), "field is immutable")
    for several in ("podIPs", "hostIPs"):
        for index, address in enumerate(parts(after, several)):
            yield from matches(f"status.{several}[{index}]", address.get("ip") or "", ip_problems)


@checks_change("", "pods", part="ephemeralcontainers")
def _ephemeral_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
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
        yield from _name_is_free(container, at, names)
        names.add(container.get("name") or "")
        target = container.get("targetContainerName")
        if target and target not in regular:
            path = f"{at}.targetContainerName"
            yield Cause("FieldValueNotFound", f'Not found: "{target}"', path)
    for before in parts(old["spec"], "ephemeralContainers"):
        if before not in containers:
            said = f'existing ephemeral containers "{before["name"]}" may not be removed or changed'
            yield forbidden_value("spec.ephemeralContainers", said)

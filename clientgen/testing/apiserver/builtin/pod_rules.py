"""What Pods may say and how they may change (API reference, Pod; "Pod update and replacement")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from ..parts import part, parts, texts
from .checks import matches, one_of, text
from .containers import container_causes, image_causes
from .metadata import labels_causes
from .scheduling import affinity_causes, gates_causes, spread_causes, tolerations_causes
from .security import pod_security_causes
from .texts import (
    ip_problems,
    label_problems,
    qualified_name_problems,
    range_problems,
    subdomain_problems,
)
from .validating import checks, checks_change
from .volumes import volumes_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pod_spec_causes"]

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_POLICIES: Final = ("PreemptLowerPriority", "Never")
_MOST: Final = 2**31 - 1
_MOST_NAMESERVERS: Final = 3
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
    yield from pod_spec_causes(pod["spec"], "spec")


@checks("", "pods", again=False)
def _new_pod(pod: dict[str, Any]) -> Iterator[Cause]:
    if pod["spec"].get("ephemeralContainers"):
        yield forbidden_value("spec.ephemeralContainers", "cannot be set on create")


def pod_spec_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with a pod, or with the pods of a template."""
    volumes = parts(spec, "volumes")
    yield from volumes_causes(volumes, f"{field}.volumes")
    names = {volume.get("name") or "" for volume in volumes} - {""}
    yield from _containers(spec, field, names)
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
    yield from _tokens(spec, f"{field}.volumes")
    yield from _rest(spec, field)


def _containers(spec: dict[str, Any], field: str, volumes: set[str]) -> Iterator[Cause]:
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


def _names(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for member, rule in (
        ("serviceAccountName", subdomain_problems),
        ("nodeName", subdomain_problems),
        ("hostname", label_problems),
        ("subdomain", label_problems),
        ("priorityClassName", subdomain_problems),
        ("runtimeClassName", subdomain_problems),
    ):
        yield from text(f"{field}.{member}", spec.get(member), rule, needed=False)


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
    yield from one_of(f"{field}.preemptionPolicy", policy, _POLICIES, needed=False)
    system = part(spec, "os").get("name")
    if spec.get("os") is not None and system not in ("linux", "windows"):
        yield not_supported(f"{field}.os", system or "", ("linux", "windows"))
    for index, claim in enumerate(parts(spec, "resourceClaims")):
        sources = [claim.get(name) for name in ("resourceClaimName", "resourceClaimTemplateName")]
        if not any(sources):
            said = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            yield invalid_value(f"{field}.resourceClaims[{index}]", claim, said)


# --------------------------------------------------------------------------------- update


@checks_change("", "pods")
def _change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
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
    if _fixed_part(after) != _fixed_part(before):
        yield forbidden_value("spec", _FIXED)


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
    volumes = {volume.get("name") or "" for volume in parts(spec, "volumes")}
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
